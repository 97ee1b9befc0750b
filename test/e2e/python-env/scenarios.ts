import { fileURLToPath } from 'node:url';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { BATCH_SIZE, GROUP_SIZE, trainPython, type StepMetrics } from './train-python.ts';

const ENVIRONMENT = fileURLToPath(new URL('../../peers/atropos/vowels_env.py', import.meta.url));
const RE_ENCODING = fileURLToPath(new URL('re_encoding_env.py', import.meta.url));

const STEPS = 4;
/** Later every reply of a group earns the same, and atroposlib sends no such group. */
const FULL_STEPS = 10;
/** Steps at either end of a long run that are compared. */
const COMPARED = 3;
/** Of a reward that begins at a third, since a third of all letters are vowels. */
const RISEN_BY = 0.1;
/** How much likelier a token may be to the trainer than the environment said, before the first update. */
const SAME_RATIO = 1.01;

/** `pnpm e2e python-env`: a Python environment, our trajectory API, inference and trainer, the real engine. */
export const scenarios: Scenario[] = [
  {
    name: 'vowels',
    title: 'an environment of atroposlib 0.4.0, as its users write one, trains a model through our stations',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const steps = context.full ? FULL_STEPS : STEPS;
      const shared = {
        engine,
        log: context.log,
        defer: (end: () => Promise<unknown>) => context.defer(async () => void (await end())),
      };
      // Side by side: both spend most of their time waiting for processes to start.
      const [real, mutant] = await Promise.all([
        trainPython({ ...shared, environment: ENVIRONMENT, steps, home: await context.scratch() }),
        trainPython({ ...shared, environment: RE_ENCODING, steps: 1, home: await context.scratch() }),
      ]);

      const losses = real.steps.map((step) => step['train/loss'] ?? Number.NaN);
      const isWhole = real.steps.every(
        (step, index) => step['train/policy_version'] === index + 1 && (step['optimizer/grad_norm'] ?? 0) > 0,
      );
      context.report({
        name: 'steps',
        figure: `${real.steps.length}, losses ${losses.map((loss) => loss.toFixed(4)).join(' ')}, a gradient and a policy in each: ${isWhole}`,
        bar: `${steps}, all finite, true`,
        ok: real.steps.length === steps && losses.every(Number.isFinite) && isWhole,
      });

      const { trained, quarantined, balanced } = real.ledger;
      const dropped = Object.values(real.ledger.dropped).reduce((sum, count) => sum + count, 0);
      const wanted = (steps * BATCH_SIZE) / GROUP_SIZE;
      context.report({
        name: 'groups',
        figure: `${trained} trained, ${quarantined} quarantined, ${dropped} dropped, balanced: ${balanced}`,
        bar: `${wanted} trained, 0, 0, true`,
        ok: trained === wanted && quarantined === 0 && dropped === 0 && balanced,
      });

      const ratio = largestRatio(real.steps);
      context.report({
        name: 'tokens and log probabilities',
        figure: `ratio of trainer to environment ${ratio.toFixed(6)} at most before the first update`,
        bar: `≤ ${SAME_RATIO}`,
        ok: ratio <= SAME_RATIO,
      });

      const rewards = real.steps.map((step) => step['reward/mean'] ?? Number.NaN);
      context.log(`rewards ${rewards.map((reward) => reward.toFixed(3)).join(' ')}`);
      if (context.full) {
        const [first, last] = [average(rewards.slice(0, COMPARED)), average(rewards.slice(-COMPARED))];
        context.report({
          name: 'reward',
          figure: `${first.toFixed(3)} in the first ${COMPARED} steps, ${last.toFixed(3)} in the last`,
          bar: `+ ${RISEN_BY}`,
          ok: last - first >= RISEN_BY,
        });
      }

      const seen = largestRatio(mutant.steps);
      context.report({
        name: 'mutant that re-encodes',
        figure: `ratio ${seen.toFixed(2)}, ${mutant.steps[0]?.['numerics/alarms'] ?? 0} alarms of the trainer`,
        bar: `caught: > ${SAME_RATIO}`,
        ok: mutant.steps.length === 1 && seen > SAME_RATIO,
      });
    },
  },
];

const largestRatio = ([first]: readonly StepMetrics[]): number => first?.['numerics/ratio_max'] ?? Number.NaN;

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
