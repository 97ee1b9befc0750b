import { readFile } from 'node:fs/promises';

import type { ScenarioContext } from '../scenarios/scenario.ts';

/** Says how many answers a server gave, and which of them its document does not describe. */
export async function reportAnswers(context: ScenarioContext, file: string): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const told = lines.map((line) => JSON.parse(line) as { path: string; found?: string });
  const odd = [...new Set(told.flatMap(({ found }) => found ?? []))];
  const routes = new Set(told.map(({ path }) => path)).size;
  context.report({
    name: 'answers that their documents describe',
    figure: `${told.length - told.filter(({ found }) => found !== undefined).length} of ${told.length}, of ${routes} routes${odd.length === 0 ? '' : `; not: ${odd.join('; ')}`}`,
    bar: 'all',
    ok: told.length > 0 && odd.length === 0,
  });
}
