import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { installPackages } from '../first-run/install-packages.ts';
import type { StepMetrics } from '../grpo-tiny/read-metrics.ts';
import { runGrpo } from '../grpo-tiny/run-grpo.ts';
import type { GrpoRun, RunGrpoOptions } from '../grpo-tiny/run-grpo.ts';

const STEPS = { full: 8, short: 4 };
const MUTANT_STEPS = 2;
/** A batch in flight is lost with the trainer; what the next process takes must be of its weights all the same. */
const KILL_AFTER = 2;
/** Sampler and trainer calculate in other orders; what is left is rounding. */
const MOST_RATIO = 1.01;
const MOST_SECONDS = 300;

/** Its reward is not 0 with random weights, so that no warm-up is needed. */
const LETTERS = fileURLToPath(new URL('../series/letters.ts', import.meta.url));
const outputs = fileURLToPath(new URL('../../../.ci/logs/on-policy/', import.meta.url));

/** `pnpm e2e on-policy`: `max_batches_offpolicy: 0` on the real engine, with the trainer killed on the way. */
export const scenarios: Scenario[] = [
  {
    name: 'staleness',
    title: 'every sample of every step is of the newest weights, and a run that does not wait for them is told apart',
    async run(context) {
      const starting = startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(async () => (await starting).stop());
      const [engine, machine] = await Promise.all([starting, installPackages(context, await context.scratch())]);
      const place = await machine.openInstalled('on-policy');
      await copyFile(LETTERS, join(place.folder, 'letters.ts'));
      const home = join(place.home, '.lachesis');
      const train = (options: {
        run: string;
        steps: number;
        offPolicy: { trainer: number; environment: number };
        kills?: RunGrpoOptions['kills'];
      }): Promise<GrpoRun> => {
        const allow = (batches: number): string[] => ['--env.max_batches_offpolicy', String(batches)];
        return runGrpo({
          ...{ engineUrl: engine.url, place, home, run: options.run, environment: 'letters.ts' },
          sharedFlags: [
            ...['--env.total_steps', String(options.steps)],
            ...['--env.group_size', '8', '--env.batch_size', '32', '--env.max_completion_tokens', '8'],
          ],
          trainerFlags: allow(options.offPolicy.trainer),
          environmentFlags: allow(options.offPolicy.environment),
          ...(options.kills === undefined ? {} : { kills: options.kills }),
          title: `letters, ${options.run}: mean reward of a batch`,
          output: join(outputs, options.run),
          probe: { prompt: 'Write letters.', samples: 8, maxTokens: 8 },
          timeoutMs: MOST_SECONDS * 1000,
          ...{ log: context.log, defer: context.defer },
        });
      };

      const wanted = context.full ? STEPS.full : STEPS.short;
      const honest = await train({
        ...{ run: 'strict', steps: wanted, offPolicy: { trainer: 0, environment: 0 } },
        kills: [{ afterStep: KILL_AFTER, station: 'trainer' }],
      });
      const { steps } = honest;
      context.report({
        name: 'steps',
        figure: `${honest.status.state} at step ${honest.status.step}, ${honest.status.lost_steps} lost, ${honest.seconds.toFixed(0)} s`,
        bar: `finished at ${wanted}, 0 lost`,
        ok: honest.status.state === 'finished' && honest.status.step === wanted && honest.status.lost_steps === 0,
      });
      const stale = steps.map(stalenessOf);
      context.report({
        name: 'staleness of each step',
        figure: stale.join(', '),
        // A step that the killed process left in the engine has no metrics.
        bar: `0 in each of ≥ ${wanted - 1}`,
        ok: stale.length >= wanted - 1 && stale.every((age) => age === 0),
      });
      const ratios = steps.map(({ 'numerics/ratio_max': ratio = Number.NaN }) => ratio);
      context.report({
        name: 'largest ratio of learner to sampler',
        figure: Math.max(...ratios).toFixed(4),
        bar: `≤ ${MOST_RATIO}`,
        ok: ratios.every((ratio) => ratio <= MOST_RATIO),
      });
      context.report({
        name: 'samples or batches that were left out as too old',
        figure: honest.steps.map(tooOldOf).join(', '),
        // The batch of the killed trainer was sampled under a version that its successor has replaced.
        bar: '0 until the trainer is killed',
        ok: honest.steps.filter(({ step }) => step <= KILL_AFTER).every((step) => tooOldOf(step) === 0),
      });

      const ahead = await train({
        ...{ run: 'rounds-not-waited-for', steps: MUTANT_STEPS, offPolicy: { trainer: 0, environment: 1 } },
      });
      const wasted = ahead.steps.reduce((sum, step) => sum + tooOldOf(step), 0);
      context.report({
        name: 'mutant whose environment does not wait for rounds',
        figure: `${wasted} samples or batches too old; staleness of what was trained on ${ahead.steps.map(stalenessOf).join(', ')}`,
        bar: 'caught: > 0 too old, and none of them trained on',
        ok: wasted > 0 && ahead.steps.every((step) => !(stalenessOf(step) > 0)),
      });
      if (!context.full) return;
      const loose = await train({
        ...{ run: 'one-batch-ahead', steps: MUTANT_STEPS, offPolicy: { trainer: 1, environment: 1 } },
      });
      const ages = loose.steps.map(stalenessOf);
      context.report({
        name: 'mutant that may be a batch ahead',
        figure: `staleness ${ages.join(', ')}`,
        bar: 'caught: > 0 in a step',
        ok: ages.some((age) => age > 0),
      });
    },
  },
];

const stalenessOf = ({ 'train/staleness_max': age = Number.NaN }: StepMetrics): number => age;
/** A batch of which nothing is left is no step; the next one tells of it. */
const tooOldOf = ({ 'train/left_out_too_old': samples = 0, 'train/empty_batches': batches = 0 }: StepMetrics): number =>
  samples + batches;
