import { chatMessageSchema } from '@lachesis/protocol';
import { z } from 'zod';
import type { BatchAnswer, BatchInput } from '../batch-agent.ts';
import { BatchError } from '../batch-error.ts';

const usage = z.object({
  prompt_tokens: z.number().default(0),
  completion_tokens: z.number().default(0),
  total_tokens: z.number().default(0),
});

const messages = z.array(chatMessageSchema).min(1);
const facts = {
  completed: z.boolean().default(true),
  partial: z.boolean().default(false),
  reason: z.string().optional(),
  api_calls: z.number().optional(),
  usage: usage.optional(),
  cost: z.number().nullish(),
};
const spoken = z.looseObject({ messages, ...facts });

/** What a program or a server says it did with a prompt: `{"messages": […]}`, or the bare list. */
export function readConversation(text: string, input: BatchInput, who: string): BatchAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refuse(who, 'what it gave back is not JSON', cause);
  }
  const { success, data, error } = spoken.safeParse(Array.isArray(value) ? { messages: value } : value);
  if (!success) {
    const [issue] = error.issues;
    throw refuse(who, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`, error);
  }
  // The system prompt is not saved, as with our own agent; a conversation that begins with the reply gets its question.
  const said = data.messages.filter(({ role }) => role !== 'system');
  const first = said[0]?.role === 'user' ? [] : [{ role: 'user', content: input.prompt }];
  const all = [...first, ...said];
  if (!all.some(({ role }) => role === 'assistant')) throw refuse(who, 'the conversation has no reply');
  return {
    messages: all,
    tools: null,
    toolsets_used: [],
    completed: data.completed,
    partial: data.partial,
    reason: data.reason ?? (data.completed ? 'answered' : 'incomplete'),
    api_calls: data.api_calls ?? all.filter(({ role }) => role === 'assistant').length,
    usage: data.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    cost: data.cost ?? null,
  };
}

const refuse = (who: string, reason: string, cause?: unknown): BatchError =>
  new BatchError({
    ...{ kind: 'attempt', what: `The answer of ${who} is no conversation: ${reason}`, isStartingOver: true, cause },
    hint: 'It gives {"messages": [{"role": "assistant", "content": "…"}]} as JSON',
  });
