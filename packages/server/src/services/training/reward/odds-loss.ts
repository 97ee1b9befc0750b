import type { CustomLoss, Logprobs } from '@lachesis/tinker';

/** Sequences of a pair, in this order. */
const SEQUENCES_OF_PAIR = 4;

/** Of each pair: score of the chosen one, of the rejected one. Sequences are chosen good, chosen bad, rejected good, rejected bad. */
export function readScores(logprobs: readonly Logprobs[]): { chosen: number; rejected: number }[] {
  return Array.from({ length: logprobs.length / SEQUENCES_OF_PAIR }, (_, pair) => {
    const last = (place: number): number => logprobs[pair * SEQUENCES_OF_PAIR + place]!.at(-1)!;
    return { chosen: last(0) - last(1), rejected: last(2) - last(3) };
  });
}

/**
 * Bradley–Terry on the odds of two verdict tokens: −log σ(s_chosen − s_rejected), as a mean over pairs. `decay` adds
 * decay·(s_chosen + s_rejected)², because only differences are learnt and the level would drift away.
 */
export function createOddsLoss({ decay = 0.001 }: { decay?: number } = {}): CustomLoss {
  return ({ logprobs }) => {
    const scores = readScores(logprobs);
    const gradients = logprobs.map(({ length }) => new Float64Array(length));
    const totals = { loss: 0, right: 0, chosen: 0, rejected: 0 };
    const share = 1 / scores.length;
    for (const [pair, { chosen, rejected }] of scores.entries()) {
      const difference = chosen - rejected;
      const level = chosen + rejected;
      totals.loss += share * (softplus(-difference) + decay * level * level);
      totals.right += difference > 0 ? 1 : 0;
      totals.chosen += chosen;
      totals.rejected += rejected;
      const slope = -sigmoid(-difference);
      const pull = 2 * decay * level;
      for (const [place, value] of [slope + pull, -slope - pull, -slope + pull, slope - pull].entries()) {
        const row = gradients[pair * SEQUENCES_OF_PAIR + place]!;
        row[row.length - 1] = share * value;
      }
    }
    return {
      loss: totals.loss,
      gradients,
      metrics: {
        loss: totals.loss,
        accuracy: totals.right * share,
        margin: (totals.chosen - totals.rejected) * share,
        chosen: totals.chosen * share,
        rejected: totals.rejected * share,
      },
    };
  };
}

export const sigmoid = (value: number): number =>
  value >= 0 ? 1 / (1 + Math.exp(-value)) : Math.exp(value) / (1 + Math.exp(value));

/** log(1 + e^x), without overflow. */
const softplus = (value: number): number => Math.max(0, value) + Math.log1p(Math.exp(-Math.abs(value)));
