import { createOwnLoss } from './create-own-loss.ts';
import type { MapCall } from './batch-tape.ts';
import type { OwnLoss } from './define-loss.ts';
import { LossInputError } from '../loss-input-error.ts';

/** Two groups of two replies of one to three tokens behind a prompt: ratios on both sides of 1, advantages of both signs. */
const REPLIES = [
  { group: 0, rollout: 0, score: 1, advantage: 0.5, learner: [-0.7, -1.2, -0.4], sampler: [-0.9, -1.2, -0.35] },
  { group: 0, rollout: 1, score: 0, advantage: -0.5, learner: [-1.1, -2.3], sampler: [-1.0, -2.4] },
  { group: 1, rollout: 0, score: 0.25, advantage: -0.25, learner: [-0.3], sampler: [-0.5] },
  { group: 1, rollout: 1, score: 0.75, advantage: 0.25, learner: [-1.9, -0.6, -1.4], sampler: [-1.8, -0.7, -1.3] },
];

const STEP = 1e-5;

/**
 * Lets a loss compute on a small batch that was made up, so that a mistake is told before an engine works for it. Throws a
 * `LossInputError`, or what the loss itself throws.
 */
export function tryOwnLoss(own: OwnLoss): void {
  const calls: MapCall[] = [];
  const withPrompt = (first: number, reply: readonly number[]): Float32Array => Float32Array.from([first, ...reply]);
  const { gradients } = createOwnLoss({
    own,
    sequences: REPLIES,
    ...(own.needsReference === true
      ? {
          reference: REPLIES.map(({ sampler }) =>
            withPrompt(
              0,
              sampler.map((value) => value - 0.1),
            ),
          ),
        }
      : {}),
    onMap: (call) => void calls.push(call),
  })({
    logprobs: REPLIES.map(({ learner }) => withPrompt(Number.NaN, learner)),
    datums: REPLIES.map(({ sampler, advantage }) => ({
      tokens: new Int32Array(sampler.length + 1).fill(1),
      inputs: {
        target_tokens: new Int32Array(sampler.length + 1).fill(2),
        logprobs: withPrompt(0, sampler),
        advantages: withPrompt(
          0,
          sampler.map(() => advantage),
        ),
        weights: withPrompt(
          0,
          sampler.map(() => 1),
        ),
      },
    })),
  });
  for (const call of calls) checkSlope(own.name, call);
  if (gradients.every((row) => row.every((value) => value === 0))) {
    const reason = 'has no gradient: what it returns does not depend on learner, or only on learner.detached()';
    throw new LossInputError({ loss: own.name, reason });
  }
}

/** At a kink either side may be right. */
function checkSlope(loss: string, { values, compute, slope }: MapCall): void {
  for (const value of values) {
    const [below, here, above] = [compute(value - STEP), compute(value), compute(value + STEP)];
    const given = slope(value);
    const found = [(above - below) / (2 * STEP), (above - here) / STEP, (here - below) / STEP];
    if (found.some((one) => !(Math.abs(one - given) > 1e-3 * Math.max(1, Math.abs(one))))) continue;
    const reason = `has a map whose slope at ${value} is given as ${given}, and is ${found[0]!.toPrecision(4)}`;
    throw new LossInputError({ loss, reason });
  }
}
