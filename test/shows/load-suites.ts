import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ShowKind, ShowPick } from './parse-command.ts';
import type { Show } from './show.ts';

export interface Suite {
  readonly name: string;
  readonly shows: readonly Show[];
}

/** Names of the folders of a kind that hold a `shows.ts`, in alphabetical order. */
export async function listSuiteNames(options: { testFolder: string; kind: ShowKind }): Promise<string[]> {
  const folder = join(options.testFolder, options.kind);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory() && (await isFile(join(folder, entry.name, 'shows.ts')))) names.push(entry.name);
  }
  return names.sort();
}

/** Imports one suite and checks what it exports, so that a typo is a sentence and not a crash in the middle. */
export async function loadSuite(options: { testFolder: string; kind: ShowKind; name: string }): Promise<Suite> {
  const path = join(options.testFolder, options.kind, options.name, 'shows.ts');
  const module = (await import(pathToFileURL(path).href)) as { shows?: unknown };
  if (!Array.isArray(module.shows)) throw new Error(`${path} must export an array named shows`);
  const shows = module.shows as Show[];
  const twice = shows.find((show, index) => shows.findIndex((other) => other.name === show.name) !== index);
  if (twice !== undefined) throw new Error(`${path} has two shows named ${twice.name}`);
  return { name: options.name, shows };
}

/** The shows asked for, in the order of the suite; undefined when a pick names a show the suite does not have. */
export function pickShows(suite: Suite, picks: readonly ShowPick[]): readonly Show[] | undefined {
  const own = picks.filter((pick) => pick.suite === suite.name);
  if (own.length === 0 || own.some((pick) => pick.show === undefined)) return suite.shows;
  if (own.some((pick) => !suite.shows.some((show) => show.name === pick.show))) return undefined;
  return suite.shows.filter((show) => own.some((pick) => pick.show === show.name));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
