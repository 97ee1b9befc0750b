import type { KtoLabel } from '../../../packages/tinker/src/losses/kto-loss.ts';
import type { PreferencePair } from '../../../packages/tinker/src/losses/pairwise-loss.ts';
import type { Reduction } from '../../../packages/tinker/src/losses/custom-loss.ts';
import type { SequenceScore } from '../../../packages/tinker/src/losses/score-coefficients.ts';
import { createRandom, type Random } from '../render/random.ts';

export type LossName = 'dpo' | 'ipo' | 'simpo' | 'bradley_terry' | 'kto';

export const lossNames: readonly LossName[] = ['dpo', 'ipo', 'simpo', 'bradley_terry', 'kto'];

/** One batch, in a shape that JSON carries: null is a logprob of minus infinity, which only a masked token has. */
export interface LossCase {
  readonly loss: LossName;
  readonly logprobs: (number | null)[][];
  readonly reference: (number | null)[][];
  readonly weights: number[][];
  readonly pairs: PreferencePair[];
  readonly labels: KtoLabel[];
  readonly margins: number[];
  readonly beta: number;
  readonly gamma: number;
  readonly scale: number;
  readonly label_smoothing: number;
  readonly desirable_weight: number;
  readonly undesirable_weight: number;
  readonly score: SequenceScore;
  readonly reduction: Reduction;
}

const MAX_TOKENS = 24;

/** Random batches of one loss; a tenth has extreme logprobs, a tenth ties, a tenth a policy that is its reference. */
export function makeCases({ loss, count, seed }: { loss: LossName; count: number; seed: number }): LossCase[] {
  const random = createRandom(seed);
  return random.list(count, () => makeCase(loss, random));
}

function makeCase(loss: LossName, random: Random): LossCase {
  const datums = 2 * (1 + random.integer(4));
  const kind = random.pick(['extreme', 'tied', 'still', 'long', ...Array.from({ length: 6 }, () => 'plain')]);
  const depth = kind === 'extreme' ? random.pick([100, 3_000, 100_000]) : 6;
  const length = (): number => (kind === 'long' ? 4 * MAX_TOKENS : 1 + random.integer(MAX_TOKENS));
  const weights = random.list(datums, () => makeWeights(random, length()));
  if (kind === 'tied') for (let datum = 1; datum < datums; datum += 2) weights[datum] = [...weights[datum - 1]!];
  const draw = (): (number | null)[][] =>
    weights.map((row) => row.map((weight) => (weight === 0 && random.chance(0.3) ? null : drawLogprob(random, depth))));
  const logprobs = draw();
  const reference = kind === 'still' ? logprobs.map((row) => [...row]) : draw();
  if (kind === 'tied') {
    for (let datum = 1; datum < datums; datum += 2) {
      logprobs[datum] = [...logprobs[datum - 1]!];
      reference[datum] = [...reference[datum - 1]!];
    }
  }
  return {
    loss,
    logprobs,
    reference,
    weights,
    pairs: makePairs(random, datums),
    labels: makeLabels(random, datums),
    margins: random.list(datums, () => 4 * random.next() - 1),
    beta: random.pick([0.01, 0.1, 0.5, 2, 10]),
    gamma: random.pick([-0.5, 0, 1, 1.6]),
    scale: random.pick([0.3, 1, 4]),
    label_smoothing: random.pick([0, 0, 0.1, 0.49]),
    desirable_weight: random.pick([1, 0.4, 2]),
    undesirable_weight: random.pick([1, 1.33, 3]),
    score: scoreOf(loss, random),
    reduction: random.pick(['mean', 'sum'] as const),
  };
}

// As a server sends it: a 32-bit number, so that both sides begin with the same bits.
const drawLogprob = (random: Random, depth: number): number => Math.fround(-depth * random.next() ** 2);

function makeWeights(random: Random, length: number): number[] {
  const isFractional = random.chance(0.2);
  const row = random.list(length, () => {
    if (random.chance(0.3)) return 0;
    return isFractional ? Math.fround(0.1 + random.next()) : 1;
  });
  // A sequence of which no token counts has no mean and no last token, and is refused.
  row[length - 1] ||= 1;
  return row;
}

function makePairs(random: Random, datums: number): PreferencePair[] {
  const alternating = random.list(datums / 2, (pair) => ({ chosen: 2 * pair, rejected: 2 * pair + 1 }));
  if (random.chance(0.7)) return alternating;
  const last = { chosen: datums - 1, rejected: random.integer(datums - 1) };
  return [...alternating, last];
}

function makeLabels(random: Random, datums: number): KtoLabel[] {
  const labels = random.list(datums, () => random.pick(['desirable', 'undesirable', 'mismatched'] as const));
  // A batch in which nothing is judged is refused.
  return labels.every((label) => label === 'mismatched') ? ['undesirable', ...labels.slice(1)] : labels;
}

function scoreOf(loss: LossName, random: Random): SequenceScore {
  if (loss === 'simpo') return 'mean';
  if (loss === 'ipo') return random.pick(['sum', 'mean']);
  return loss === 'bradley_terry' ? random.pick(['sum', 'mean', 'last']) : 'sum';
}
