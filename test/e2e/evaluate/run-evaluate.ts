import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { openLachesis, type Lachesis } from '../first-run/lachesis.ts';

export interface Rate {
  value: number;
  interval: [number, number] | null;
  items: number;
}

/** One model in one environment, as `--json` prints it. */
export interface EvaluatedModel {
  rates: { samples: number; items: number; average: Rate; pass: Record<string, Rate> };
  items: { key: string; samples: number; correct: number; pass_rate: number }[];
}

export const SAMPLES = 8;

export interface Project {
  readonly folder: string;
  readonly lachesis: Lachesis;
}

/**
 * A folder of somebody who installed the packages, with two environments: `tasks` has an item for each count of right answers,
 * `halves` four that are right half of the time.
 */
export async function makeProject(context: ScenarioContext): Promise<Project> {
  const machine = await installPackages(context, await context.scratch());
  const place = await machine.openInstalled('evaluate');
  const { folder } = place;
  await mkdir(path.join(folder, 'environments'));
  const all = Array.from({ length: SAMPLES + 1 }, (_, right) => right);
  await writeFile(path.join(folder, 'environments/tasks.ts'), source('tasks', all));
  await writeFile(path.join(folder, 'environments/halves.ts'), source('halves', [4, 4, 4, 4]));
  await writeFile(path.join(folder, 'suite.yaml'), 'environments:\n  - tasks\n  - name: halves\n');
  return { folder, lachesis: openLachesis(place, context.log) };
}

/** The third and the fifth evaluation item of `tasks` are in training: as they are, and in a longer text. */
export async function makeLeak(folder: string): Promise<void> {
  const text = (right: number): string =>
    `leak ${right}: item ${right} of ${SAMPLES} is what we ask about in task ${right} here`;
  const evaluation = [0, 1, 2, 3, 4].map((right) => ({ text: text(right) }));
  const train = [
    { text: `${text(2).toUpperCase()}!` },
    { text: `As an example: ${text(4)} Think first.` },
    { text: 'else' },
  ];
  await writeFile(
    path.join(folder, 'environments/leak.ts'),
    source('leak', []).replace(/items: .*,\n/, `items: ${JSON.stringify({ train, evaluation })},\n`),
  );
}

const source = (name: string, rights: readonly number[]): string => `
import { defineEnvironment } from '@lachesis/sdk/environment';
export const environment = defineEnvironment({
  name: '${name}',
  description: 'Items that are answered right so many times.',
  items: { train: [{ text: 'train' }], evaluation: ${JSON.stringify(
    rights.map((right, index) => ({ text: `${name} ${index}: item ${right} of ${SAMPLES}` })),
  )} },
  formatPrompt: ({ text }) => text,
  computeReward: (_item, { finalResponse }) => (finalResponse === 'right' ? 1 : 0),
});
`;

/** Runs `env evaluate` and gives what it printed last. */
export const evaluate = <T>({ lachesis }: Project, args: readonly string[]): Promise<T> =>
  lachesis.json<T>([
    ...['env', 'evaluate', ...args, '--no-record'],
    ...['--samples', String(SAMPLES), '--env.eval_temperature', '1'],
  ]);

/** Which samples of each item were right, as the command wrote them. */
export async function readSamples(folder: string): Promise<boolean[][]> {
  const lines = (await readFile(path.join(folder, 'samples.jsonl'), 'utf8')).trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { key: string; correct: boolean });
  return [...Map.groupBy(rows, ({ key }) => key).values()].map((of) => of.map(({ correct }) => correct));
}
