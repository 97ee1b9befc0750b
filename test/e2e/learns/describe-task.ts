import type { ChatMessage } from '@lachesis/protocol';

import { CALL, makeTask } from './tasks.ts';
import type { TaskItem, TaskName } from './tasks.ts';

/** A digit and the end of the turn. */
export const REPLY_TOKENS = 2;

/** A reply is right or it is not: whole, so that a list of all digits earns nothing. */
export const scoreReply = ({ answer }: TaskItem, reply: string): number => Number(reply.trim() === answer);

export const isCall = (reply: string): boolean => reply.trim() === CALL;

export const toQuestion = ({ prompt }: TaskItem): ChatMessage => ({ role: 'user', content: prompt });

/** The call, and what the tool says to it. */
export const toToolTurn = ({ tool = '' }: TaskItem): ChatMessage[] => [
  { role: 'assistant', content: CALL },
  { role: 'user', content: tool },
];

/**
 * All of an environment but its name, which stands in its file: environments are found by reading. Which combinations are held
 * out is decided by `env.seed`.
 */
export const describeTask = (name: TaskName) => ({
  description: 'A toy whose right answer depends on the prompt.',
  defaults: { group_size: 8, batch_size: 256, max_token_length: 64, max_completion_tokens: REPLY_TOKENS },
  items: ({ config }: { config: { seed: number } }) => {
    const { train, heldOut } = makeTask(name, config.seed);
    return { train, evaluation: heldOut };
  },
  formatPrompt: ({ prompt }: TaskItem) => prompt,
  turns: ({ tool }: TaskItem, { text, turn }: { text: string; turn: number }): ChatMessage | undefined =>
    tool === undefined || turn > 1 || !isCall(text) ? undefined : { role: 'user', content: tool },
  // An answer that the tool did not give is a guess, right or wrong.
  computeReward: (item: TaskItem, { finalResponse, turnsUsed }: { finalResponse: string; turnsUsed: number }) =>
    item.tool !== undefined && turnsUsed < 2 ? 0 : scoreReply(item, finalResponse),
});
