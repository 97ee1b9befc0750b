import type { ChatMessage } from '@lachesis/protocol';

import { askWeights } from './ask-weights.ts';
import type { AskWeightsOptions } from './ask-weights.ts';
import { isCall, REPLY_TOKENS, scoreReply, toQuestion, toToolTurn } from './describe-task.ts';
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
  const ask = (prompts: readonly (readonly ChatMessage[])[]): Promise<string[][]> =>
    askWeights({ ...weights, prompts, samples: SAMPLES, maxTokens: REPLY_TOKENS });
  const first = await ask(task.heldOut.map((item) => [toQuestion(item)]));
  if (task.call === undefined) {
    return task.heldOut.map((item, index) => (first[index] ?? []).map((reply) => scoreReply(item, reply)));
  }
  // Whoever called sees the same: the question, the call, what the tool said.
  const last = await ask(task.heldOut.map((item) => [toQuestion(item), ...toToolTurn(item)]));
  return task.heldOut.map((item, index) =>
    (first[index] ?? []).map((reply, sample) => (isCall(reply) ? scoreReply(item, last[index]?.[sample] ?? '') : 0)),
  );
}
