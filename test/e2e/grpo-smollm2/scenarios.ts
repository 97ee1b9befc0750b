import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { readProcessTree } from '../../kit/read-process-tree.ts';
import type { StepMetrics } from '../grpo-tiny/read-metrics.ts';
import { runGrpo } from '../grpo-tiny/run-grpo.ts';

const SEEDS = [1, 2];
const STEPS = 16;
/** Of CPU, all processes together: on a busy machine the clock says more. */
const MOST_SECONDS = 40 * 60;
const PATIENCE_MS = 3 * MOST_SECONDS * 1000;
/** Steps at either end that are compared. */
const COMPARED = 5;
const WANTED_RISE = 0.25;
/** Else there would be nothing to find by chance, or nothing to learn. */
const START = { least: 0.1, most: 0.5 };

const environment = fileURLToPath(new URL('letter-words.ts', import.meta.url));
const outputs = fileURLToPath(new URL('../../../.ci/logs/grpo-smollm2/', import.meta.url));

/** `pnpm e2e grpo-smollm2 --full`: the loop on a real pretrained model. */
export const scenarios: Scenario[] = [
  {
    name: 'learns',
    title: 'SmolLM2-135M-Instruct learns to write words that begin with one letter (with --full alone)',
    async run(context) {
      if (!context.full) {
        context.reportNotRun({ name: 'reward', why: 'it takes an hour; run with --full', bar: 'rises' });
        return;
      }
      const engine = await startEnginePeer({ model: 'smollm2', onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const home = join(await context.scratch(), 'home');
      await mkdir(home);
      const engineSeconds = (): number => readProcessTree(engine.pid).cpuSeconds;
      for (const seed of SEEDS) {
        const cpuBefore = engineSeconds();
        const run = await runGrpo({
          engineUrl: engine.url,
          home,
          run: `seed-${seed}`,
          title: `words with s on SmolLM2-135M-Instruct, seed ${seed}: mean reward of a batch`,
          recipe: 'cpu_tiny.yaml',
          environment,
          sharedFlags: [
            ...['--env.total_steps', String(STEPS), '--env.group_size', '8', '--env.batch_size', '32'],
            ...['--env.max_token_length', '128'],
          ],
          trainerFlags: ['--tinker.learning_rate', '5e-4', '--tinker.seed', String(seed)],
          environmentFlags: ['--env.seed', String(seed)],
          probe: { prompt: 'Write words that start with s.', samples: 8, maxTokens: 12 },
          output: join(outputs, `seed-${seed}`),
          timeoutMs: PATIENCE_MS,
          log: context.log,
          defer: context.defer,
        });
        const cpuSeconds = run.cpuSeconds + engineSeconds() - cpuBefore;
        const [first, last] = [meanOf(run.steps.slice(0, COMPARED)), meanOf(run.steps.slice(-COMPARED))];
        context.report({
          name: `seed ${seed}: reward`,
          figure: `${first.toFixed(3)} in the first ${COMPARED} steps, ${last.toFixed(3)} in the last, of ${run.steps.length}, in ${(cpuSeconds / 60).toFixed(1)} minutes of CPU (${(run.seconds / 60).toFixed(1)} by the clock)`,
          bar: `from ${START.least} to ${START.most}, ${WANTED_RISE} more in ≤ ${MOST_SECONDS / 60} minutes of CPU`,
          ok:
            first >= START.least &&
            first <= START.most &&
            last - first >= WANTED_RISE &&
            run.steps.length >= 2 * COMPARED &&
            cpuSeconds <= MOST_SECONDS,
        });
        context.log(
          `before: ${JSON.stringify(run.replies[0]?.texts.slice(0, 3))}\nafter: ${JSON.stringify(run.replies.at(-1)?.texts.slice(0, 3))}`,
        );
      }
      context.log(`curves, metrics and replies are in ${outputs}`);
    },
  },
];

const meanOf = (steps: readonly StepMetrics[]): number =>
  steps.reduce((sum, { 'reward/mean': reward = Number.NaN }) => sum + reward, 0) / steps.length;
