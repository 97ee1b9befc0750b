import { mean } from '@lachesis/protocol';

/** A reply and one rating of it. */
export interface RatedReply<Reply> {
  readonly reply: Reply;
  readonly promptKey: string;
  readonly replyKey: string;
  /** Whose rating it is: only ratings of one rater are compared. */
  readonly raterKey: string;
  readonly value: number;
  readonly feedbackId: string;
}

export interface RatedPair<Reply> {
  readonly better: Reply;
  readonly worse: Reply;
  readonly feedbackIds: readonly string[];
}

interface Mean<Reply> {
  readonly reply: Reply;
  readonly mean: number;
  readonly feedbackIds: string[];
}

/**
 * The best reply to each prompt against every one that is rated lower by at least the gap, by the mean of the ratings that one
 * rater gave.
 */
export function pairByRating<Reply>(
  ratings: readonly RatedReply<Reply>[],
  minGap: number,
): { pairs: RatedPair<Reply>[]; alone: { feedback_id: string; reason: string }[] } {
  const pairs: RatedPair<Reply>[] = [];
  const alone: { feedback_id: string; reason: string }[] = [];
  const groups = Map.groupBy(ratings, ({ promptKey, raterKey }) => JSON.stringify([promptKey, raterKey]));
  for (const group of groups.values()) {
    const means = averageReplies(group).toSorted((a, b) => b.mean - a.mean);
    const [best, ...others] = means;
    if (best === undefined) continue;
    const worse = others.filter(({ mean }) => best.mean - mean >= minGap);
    for (const other of worse)
      pairs.push({ better: best.reply, worse: other.reply, feedbackIds: [...best.feedbackIds, ...other.feedbackIds] });
    const reason =
      others.length === 0
        ? 'no other reply to the same prompt is rated by the same rater'
        : 'the other replies to the same prompt are rated about the same';
    const unpaired = worse.length === 0 ? means : others.filter((other) => !worse.includes(other));
    for (const { feedbackIds } of unpaired) for (const feedback_id of feedbackIds) alone.push({ feedback_id, reason });
  }
  return { pairs, alone };
}

function averageReplies<Reply>(group: readonly RatedReply<Reply>[]): Mean<Reply>[] {
  return Array.from(Map.groupBy(group, ({ replyKey }) => replyKey).values(), (ratings) => ({
    reply: (ratings[0] as RatedReply<Reply>).reply,
    mean: mean(ratings.map(({ value }) => value)),
    feedbackIds: ratings.map(({ feedbackId }) => feedbackId),
  }));
}
