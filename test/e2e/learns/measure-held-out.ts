import { askWeights } from './ask-weights.ts';
import type { AskWeightsOptions } from './ask-weights.ts';
import { REPLY_TOKENS, scoreReply } from './describe-task.ts';
import type { Task } from './tasks.ts';

/** Replies to each combination: with six combinations chance moves their mean by 0.02. */
const SAMPLES = 64;

/** By combination, the rewards of its replies. */
export type HeldOut = readonly (readonly number[])[];

/** What saved weights earn on the held-out combinations. */
export async function measureHeldOut(
  options: Pick<AskWeightsOptions, 'engineUrl' | 'modelDirectory' | 'weightsPath' | 'seed'> & { task: Task },
): Promise<HeldOut> {
  const { task, ...weights } = options;
  const prompts = task.heldOut.map(({ prompt }) => prompt);
  const replies = await askWeights({ ...weights, prompts, samples: SAMPLES, maxTokens: REPLY_TOKENS });
  return task.heldOut.map((item, index) => (replies[index] ?? []).map((reply) => scoreReply(item, reply)));
}
