import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { typePage, type TypedPage } from '../../kit/type-page.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { FreshMachine, Place } from './fresh-machine.ts';

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url));

export interface FollowOptions {
  readonly place?: Place;
  readonly withModels?: boolean;
  /** Puts into the folder what the page's reader brings along. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** Changes the page before it is typed. */
  readonly change?: (page: string) => string;
  /** Types this for what needs an account. */
  readonly standIn?: (command: string) => string;
}

/** Types a page of the docs, in a place of its own unless one is given. */
export async function followPage(
  context: ScenarioContext,
  machine: FreshMachine,
  file: string,
  options: FollowOptions,
): Promise<TypedPage> {
  const { withModels = false, prepare, change = (page) => page, standIn } = options;
  const name = file.replace(/^.*\//, '').replace(/\.md$/, '');
  const place =
    options.place ?? (await machine.openInstalled(`${name}-${performance.now().toFixed(0)}`, { withModels }));
  await prepare?.(place.folder);
  const startedAt = performance.now();
  context.log(`--- docs/${file}`);
  const page = change(await readFile(join(DOCS, file), 'utf8'));
  const log = (text: string): void => context.log(text.replaceAll(/^/gm, `${name}: `));
  const typed = await typePage({ ...place, page, log, ...(standIn === undefined ? {} : { standIn }) });
  const { commands, files, read } = typed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  context.log(`--- docs/${file}: ${commands.length} typed, ${files} files, ${read} blocks read, ${seconds} s`);
  return typed;
}

/** One line: how many commands of the pages failed, and which. */
export function reportPages(context: ScenarioContext, pages: readonly TypedPage[], fewest: number): void {
  const sum = (count: (page: TypedPage) => number): number => pages.reduce((all, page) => all + count(page), 0);
  const failed = pages.flatMap((page) => page.failed);
  const what = failed.map(({ command, code, output }) => `; ${command} → ${code}: ${output.slice(-300).trim()}`);
  context.report({
    name: 'commands of the pages',
    figure: `${failed.length} of ${sum(({ commands }) => commands.length)} fail; ${pages.length} pages, ${sum(({ files }) => files)} files written, ${sum(({ read }) => read)} blocks are illustrations${what.join('')}`,
    bar: `0 fail, at least ${fewest} typed`,
    ok: failed.length === 0 && sum(({ commands }) => commands.length) >= fewest,
  });
}
