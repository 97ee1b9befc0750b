import type { RewardReply } from '../definition.ts';
import { type Outcome, failed, isOutcome, rescored, scored } from '../outcome.ts';

/** What a grading function gave as an outcome. A number that is none is the fault of what graded. */
export function readRewardReply(reply: RewardReply, name: string): Outcome {
  if (isOutcome(reply)) return reply.kind === 'scored' ? rescored(reply, reply.reward) : reply;
  if (typeof reply === 'number') return scored(reply);
  if (typeof reply === 'object' && reply !== null && typeof reply.reward === 'number') {
    return scored(reply.reward, reply.signals);
  }
  return failed('verifier', `${name} gave ${JSON.stringify(reply)}, which is neither a number nor an outcome`);
}
