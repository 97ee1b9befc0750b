import { MASKED } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeTrainedRun } from '../../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import { openSinks } from '../../../packages/server/src/services/training/sinks/open-sinks.ts';
import { fillLibrary } from './fill-library.ts';

/** The run that the pages are opened on, and a shorter one to compare it with. */
export const RUNS = [
  { run: 'k3v9x0ab', steps: 40 },
  { run: 'm81qd2zz', steps: 12 },
] as const;

const SEQUENCES = 8;
const PROMPT = 2;
const LENGTH = 6;
const LOG_LINES = 300;

/** A home below this folder with runs that the real trainer made, their logs, and a filled library. Gives the home. */
export async function makeDashboardHome(root: string): Promise<string> {
  const home = join(root, 'home');
  const logs = join(root, 'logs');
  for (const folder of [home, logs]) await mkdir(folder, { recursive: true });
  for (const role of ['api', 'trainer', 'env']) {
    const lines = Array.from({ length: LOG_LINES }, (_, index) => `line ${index + 1} of the ${role}`);
    await writeFile(join(logs, `${role}.log`), `${lines.join('\n')}\n`);
  }
  for (const { run, steps } of RUNS) {
    await makeTrainedRun({
      ...{ home, logs, run, steps },
      groupsOf: (step) => [1, 2, 3, 4].map((item) => makeGroup(step, item)),
      tinker: { save_checkpoint_interval: 10 },
      openSink: async (scope) =>
        (await openSinks({ ...scope, directory: join(logs, run), wandb: undefined, useTensorboard: false })).all,
    });
  }
  await fillLibrary(home);
  return home;
}

/** Eight replies to one question; more of them are right the later the step is. */
function makeGroup(step: number, item: number): EncodableGroup {
  const count = SEQUENCES * LENGTH;
  const rowLengths = Uint32Array.from({ length: SEQUENCES }, () => LENGTH);
  const isPrompt = (index: number): boolean => index % LENGTH < PROMPT;
  const tokenAt = (index: number): number => (isPrompt(index) ? 7 : 100 + ((index * 31 + step) % 50));
  const list = (valueAt: (index: number) => number): number[] =>
    Array.from({ length: count }, (_, index) => valueAt(index));
  const rewardOf = (row: number): number => {
    const wave = step / 50 + Math.sin(step * 7.1 + row * 3.3 + item) / 2;
    return Math.round(Math.min(1, Math.max(0, wave)) * 100) / 100;
  };
  const talks = Array.from({ length: SEQUENCES }, (_, row) => [
    { role: 'user', content: `three and ${item}?` },
    { role: 'assistant', content: `reply ${row + 1} at step ${step}` },
  ]);
  return {
    header: { environment: 'toy', item: `train-${item}` },
    tokens: { values: Int32Array.from(list(tokenAt)), rowLengths },
    masks: { values: Int32Array.from(list((index) => (isPrompt(index) ? MASKED : tokenAt(index)))), rowLengths },
    scores: Float64Array.from({ length: SEQUENCES }, (_, row) => rewardOf(row)),
    inferenceLogprobs: {
      values: Float32Array.from(list((index) => (isPrompt(index) ? 1 : -((index * 13 + step) % 17) / 10))),
      rowLengths,
    },
    policyRanges: Uint32Array.from(talks.flatMap((_, row) => [row, PROMPT, LENGTH, step - 1])),
    json: { messages: Buffer.from(JSON.stringify(talks)) },
  };
}
