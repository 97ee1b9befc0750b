import type { ConversationRecord } from '@lachesis/protocol';
import { toConversation, type RolledOutGroup } from './rolled-out-group.ts';

/** The best attempt of a group as a row to learn from, or why there is none. Without a bound it has to earn something. */
export function pickBest(
  group: RolledOutGroup,
  { minScore }: { minScore?: number | undefined } = {},
): ConversationRecord | { leftOut: string } {
  const [best] = rankRollouts(group);
  if (best === undefined) return { leftOut: 'no conversation came with its tokens' };
  if (minScore === undefined && best.rollout.score <= 0) return { leftOut: 'its best attempt earned nothing' };
  if (minScore !== undefined && best.rollout.score < minScore) {
    return { leftOut: `its best attempt earned less than ${minScore}` };
  }
  return toConversation(group, best.rollout, best.place);
}

/** The best first; of equals the one that was there before. */
export function rankRollouts({
  rollouts,
}: RolledOutGroup): { rollout: RolledOutGroup['rollouts'][number]; place: number }[] {
  return rollouts
    .map((rollout, place) => ({ rollout, place }))
    .filter(({ rollout }) => rollout.messages.length > 0)
    .toSorted((left, right) => right.rollout.score - left.rollout.score);
}
