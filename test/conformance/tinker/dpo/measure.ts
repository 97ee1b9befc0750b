import { runCustomLoss } from '../../../../packages/tinker/src/losses/run-custom-loss.ts';
import type { CustomLoss, Datum } from '@lachesis/tinker';

import { readFloats } from '../data/make-datums.ts';
import type { Preferences } from './preferences.ts';

/** Small enough that curvature stays below a percent, large enough for 32-bit log probabilities. */
const LOSS_RATE = 3e-6;
const PROBE_RATE = 1e-6;

/** A seeded fault: what becomes of the surrogate on its way to the server. */
export type Distort = (surrogate: readonly Datum[]) => readonly Datum[];

/**
 * How fast the custom loss moves each probe: the change of its log probability under one gradient step on the loss,
 * divided by the rate. By the chain rule −⟨∇s, ∇L⟩; the sign is turned here.
 */
export async function measureMovement(preferences: Preferences, count: number, distort?: Distort): Promise<number[]> {
  const { training, pairs, loss, measureProbes, step } = preferences;
  const before = await measureProbes();
  if (distort === undefined) await training.customLoss(pairs, loss);
  else await sendDistorted(preferences, distort);
  await step(LOSS_RATE);
  const after = await measureProbes();
  return before.slice(0, count).map((value, index) => (value - after[index]!) / LOSS_RATE);
}

/** The custom loss with a fault between what was planned and what is sent. */
async function sendDistorted({ training, pairs, loss }: Preferences, distort: Distort): Promise<void> {
  await runCustomLoss({
    datums: pairs,
    loss,
    profile: { normalisation: 'token-mean-then-sequence-mean', allowsNegativeWeights: false },
    source: { forward: async (datums) => (await training.forward(datums)).logprobs },
    sink: { forwardBackward: (datums, options) => training.forwardBackward(distort(datums), options) },
  });
}

/**
 * The loss by finite differences: one gradient step up each probe by plain cross entropy, which knows nothing of the custom
 * loss, and the change of the loss divided by the rate. ⟨∇L, ∇s⟩, the same numbers as the movement.
 */
export async function measureDifferences(preferences: Preferences, count: number): Promise<number[]> {
  const { training, probes, measureLoss, step } = preferences;
  const differences: number[] = [];
  let before = await measureLoss();
  for (let index = 0; index < count; index += 1) {
    const pass = training.forwardBackward(onlyProbe(probes, index), { loss: 'cross_entropy' });
    // The server divides by the weights of the sequence and by the number of sequences.
    const divisor = readFloats(probes[index]!, 'weights').reduce((sum, weight) => sum + weight, 0) * probes.length;
    const [after] = await Promise.all([step(PROBE_RATE * divisor).then(measureLoss), pass]);
    differences.push((after - before) / PROBE_RATE);
    before = after;
  }
  return differences;
}

/** A batch of the usual size in which one sequence counts. */
const onlyProbe = (probes: readonly Datum[], wanted: number): Datum[] =>
  probes.map((datum, index) =>
    index === wanted
      ? datum
      : { ...datum, inputs: { ...datum.inputs, weights: new Float32Array(datum.tokens.length) } },
  );

/** d loss / d logprob by central differences in 64 bits, and as the loss itself has it. */
export function compareGradients(
  loss: CustomLoss,
  datums: readonly Datum[],
  logprobs: readonly Float32Array[],
): { analytic: number[]; numeric: number[] } {
  const wide = logprobs.map((row) => Float64Array.from(row));
  const at = (): number => loss({ logprobs: wide, datums }).loss;
  const analytic = loss({ logprobs: wide, datums }).gradients.flatMap((row) => [...row]);
  const numeric = wide.flatMap((row) =>
    Array.from(row, (value, token) => {
      const side = (shift: number): number => {
        row[token] = value + shift;
        return at();
      };
      const slope = (side(1e-4) - side(-1e-4)) / 2e-4;
      row[token] = value;
      return slope;
    }),
  );
  return { analytic, numeric };
}
