import {
  makeGroup,
  type PlainSequence,
} from '../../../packages/server/src/services/training/rl/datums/group.fixture.ts';
import { convertGroup } from '../../../packages/server/src/services/training/rl/datums/convert-group.ts';
import type { AdvantageEstimator } from '../../../packages/server/src/services/training/rl/advantages.ts';
import { createRandom, type Random } from '../render/random.ts';

export interface AdvantageCase {
  readonly estimator: string;
  readonly scores: number[];
  /** Trained tokens of each sequence. */
  readonly lengths: number[];
  readonly trained_logprobs: number[][];
}

export interface AdvantageAnswer {
  readonly advantages: readonly number[];
  /** d objective / d logprob over the trained tokens. */
  readonly gradients: readonly (readonly number[])[];
}

/** Random groups of one to sixteen; a fifth has tied scores, a tenth huge ones, a tenth nearly equal ones. */
export function makeAdvantageCases(options: { estimator: string; count: number; seed: number }): AdvantageCase[] {
  const random = createRandom(options.seed);
  return random.list(options.count, () => {
    const size = 1 + random.integer(16);
    const lengths = random.list(size, () => (random.chance(0.05) ? 0 : 1 + random.integer(30)));
    return {
      estimator: options.estimator,
      scores: makeScores(random, size),
      lengths,
      trained_logprobs: lengths.map((length) => random.list(length, () => Math.fround(-8 * random.next()))),
    };
  });
}

function makeScores(random: Random, size: number): number[] {
  const kind = random.pick(['tied', 'binary', 'huge', 'near', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain']);
  const base = 4 * random.next() - 2;
  if (kind === 'tied') return random.list(size, () => base);
  if (kind === 'binary') return random.list(size, () => random.integer(2));
  if (kind === 'huge') return random.list(size, () => (random.next() - 0.5) * 1e8);
  if (kind === 'near') return random.list(size, () => base + 1e-7 * random.next());
  return random.list(size, () => 3 * random.next() - 1);
}

/** What the trainer gives an estimator, and what it sends: the advantages of the datums that it makes of the group. */
export function answerAdvantages(one: AdvantageCase, estimate: AdvantageEstimator): AdvantageAnswer {
  const advantages = [...estimate({ scores: one.scores, trainedTokens: one.lengths })];
  const { sequences } = convertGroup({
    payload: makeGroup(one.scores.map((score, index) => toSequence(score, one.trained_logprobs[index]!))),
    group: 0,
    estimate,
    maxTokens: 1_000,
  });
  const gradients = one.lengths.map((length) => new Array<number>(length).fill(0));
  for (const { sequence, datum } of sequences) {
    const { advantages: sent, weights } = datum.inputs;
    gradients[sequence] = [...sent].filter((_, token) => weights[token] !== 0).map((advantage) => -advantage);
  }
  return { advantages, gradients };
}

// Two prompt tokens before and one tool token behind, which are not trained on.
const toSequence = (score: number, trained: readonly number[]): PlainSequence => ({
  tokens: [1, 2, ...trained.map(() => 3), 4],
  logprobs: [1, 1, ...trained, 1],
  score,
});
