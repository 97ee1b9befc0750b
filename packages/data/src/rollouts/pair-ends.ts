import { makePreference, type ChatMessage, type PreferenceRecord } from '@lachesis/protocol';
import { isDeepStrictEqual } from 'node:util';
import { rankRollouts } from './pick-best.ts';
import { originOf, type RolledOutGroup } from './rolled-out-group.ts';

/** The best and the worst attempt of a group as a pair, or why there is none. */
export function pairEnds(
  group: RolledOutGroup,
  { minScore, minDifference = 0 }: { minScore?: number | undefined; minDifference?: number | undefined } = {},
): PreferenceRecord | { leftOut: string } {
  const ranked = rankRollouts(group);
  const [best, worst] = [ranked[0]?.rollout, ranked.at(-1)?.rollout];
  if (best === undefined || worst === undefined) return { leftOut: 'no conversation came with its tokens' };
  const difference = best.score - worst.score;
  if (difference <= 0) return { leftOut: 'all its attempts earned the same' };
  if (difference < minDifference) return { leftOut: `its ends are less than ${minDifference} apart` };
  if (minScore !== undefined && best.score < minScore) {
    return { leftOut: `its best attempt earned less than ${minScore}` };
  }
  const parts = splitPrompt(best.messages, worst.messages);
  if (parts === undefined) return { leftOut: 'its best and its worst attempt do not begin with the same prompt' };
  return makePreference({
    ...{ id: `${group.id}/pair`, ...parts },
    extra: { rollout: { chosen: originOf(group, best), rejected: originOf(group, worst) } },
  });
}

/** What both conversations begin with, up to the first reply that differs. */
function splitPrompt(
  chosen: readonly ChatMessage[],
  rejected: readonly ChatMessage[],
): Pick<PreferenceRecord, 'chosen' | 'prompt' | 'rejected'> | undefined {
  let shared = 0;
  while (shared < chosen.length && isDeepStrictEqual(chosen[shared], rejected[shared])) shared += 1;
  const isReply = [chosen[shared], rejected[shared]].every((message) => message?.role === 'assistant');
  if (shared === 0 || !isReply) return undefined;
  return { prompt: chosen.slice(0, shared), chosen: chosen.slice(shared), rejected: rejected.slice(shared) };
}
