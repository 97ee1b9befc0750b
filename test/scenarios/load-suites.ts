import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ScenarioKind, ScenarioPick } from './parse-command.ts';
import type { Scenario } from './scenario.ts';

export interface Suite {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}

/** Names of the folders of a kind that hold a `scenarios.ts`, in alphabetical order. */
export async function listSuiteNames(options: { testFolder: string; kind: ScenarioKind }): Promise<string[]> {
  const folder = join(options.testFolder, options.kind);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory() && (await isFile(join(folder, entry.name, 'scenarios.ts')))) names.push(entry.name);
  }
  return names.sort();
}

/** Imports one suite and checks what it exports, so that a typo is a sentence and not a crash in the middle. */
export async function loadSuite(options: { testFolder: string; kind: ScenarioKind; name: string }): Promise<Suite> {
  const path = join(options.testFolder, options.kind, options.name, 'scenarios.ts');
  const module = (await import(pathToFileURL(path).href)) as { scenarios?: unknown };
  if (!Array.isArray(module.scenarios)) throw new Error(`${path} must export an array named scenarios`);
  const scenarios = module.scenarios as Scenario[];
  const twice = scenarios.find(
    (scenario, index) => scenarios.findIndex((other) => other.name === scenario.name) !== index,
  );
  if (twice !== undefined) throw new Error(`${path} has two scenarios named ${twice.name}`);
  return { name: options.name, scenarios };
}

/** The scenarios asked for, in the order of the suite; undefined when a pick names a scenario the suite does not have. */
export function pickScenarios(suite: Suite, picks: readonly ScenarioPick[]): readonly Scenario[] | undefined {
  const own = picks.filter((pick) => pick.suite === suite.name);
  if (own.length === 0 || own.some((pick) => pick.scenario === undefined)) return suite.scenarios;
  if (own.some((pick) => !suite.scenarios.some((scenario) => scenario.name === pick.scenario))) return undefined;
  return suite.scenarios.filter((scenario) => own.some((pick) => pick.scenario === scenario.name));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
