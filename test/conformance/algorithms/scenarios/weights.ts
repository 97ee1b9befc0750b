import { join } from 'node:path';

import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { openEngineWeights } from '../open-engine-weights.ts';

const MOST_DIFFERENCE = 0.01;
const ownLoss = join(import.meta.dirname, '../own/clipped-loss.ts');
const ownAdvantage = join(import.meta.dirname, '../own/group-advantage.ts');

/** Recipes whose loss the engine has: it computes the one, and we the other. */
const shared: readonly { name: string; tinker: Readonly<Record<string, unknown>>; isLong?: boolean }[] = [
  { name: 'importance_sampling', tinker: {} },
  { name: 'grpo without KL', tinker: { algorithm: 'grpo', kl_coefficient: 0 } },
  { name: 'dr_grpo', tinker: { algorithm: 'dr_grpo' }, isLong: true },
  { name: 'dapo', tinker: { algorithm: 'dapo', overlong_length: 1_000 } },
  { name: 'cispo', tinker: { algorithm: 'cispo' } },
];

export const weightsScenario: Scenario = {
  name: 'weights',
  title:
    'on the real engine: its own loss, ours by a surrogate, and a file with the same formula move the weights alike',
  async run(context) {
    const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
    context.defer(() => engine.stop());
    const weights = await openEngineWeights({ url: engine.url, scratch: await context.scratch() });
    const surrogate = { losses: ['cross_entropy', 'importance_sampling'] };
    const compare = async (name: string, left: Moved, right: Moved, ways: readonly [boolean, boolean]) => {
      const difference = distance(left.movement, right.movement) / norm(left.movement);
      context.report({
        name,
        figure: `the two movements differ by ${(100 * difference).toExponential(1)} % of ${norm(left.movement).toExponential(2)}`,
        bar: `≤ ${100 * MOST_DIFFERENCE} %, above 0`,
        ok:
          difference <= MOST_DIFFERENCE &&
          norm(left.movement) > 0 &&
          left.byEngine === ways[0] &&
          right.byEngine === ways[1],
      });
    };
    let grpo: Moved | undefined;
    for (const { name, tinker, isLong = false } of shared) {
      if (isLong && !context.full) continue;
      const own = await weights.move({ tinker });
      if (name.startsWith('grpo')) grpo = own;
      const ours = await weights.move({ tinker, traits: name === 'importance_sampling' ? { losses: [] } : surrogate });
      await compare(`${name}: engine and surrogate`, own, ours, [true, false]);
    }
    const byFile = await weights.move({ tinker: { loss: ownLoss, advantage: ownAdvantage } });
    await compare('grpo without KL: engine and file', grpo!, byFile, [true, false]);
    const flipped = await weights.move({
      tinker: { loss: ownLoss, advantage: 'mean_centred' },
    });
    const away = distance(grpo!.movement, flipped.movement) / norm(grpo!.movement);
    context.report({
      name: 'mutant whose advantages are not divided by their deviation',
      figure: `${(100 * away).toFixed(1)} % away`,
      bar: `caught: > ${100 * MOST_DIFFERENCE} %`,
      ok: away > MOST_DIFFERENCE,
    });
  },
};

type Moved = Awaited<ReturnType<Awaited<ReturnType<typeof openEngineWeights>>['move']>>;

const norm = (values: Float32Array): number => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

const distance = (left: Float32Array, right: Float32Array): number =>
  norm(left.map((value, index) => value - right[index]!));
