import type { chatReplySchema } from '@lachesis/protocol';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { AssistantMessage } from '../tokens/read-message.ts';
import type { countUsage } from './choice-extras.ts';
import { sendEvents } from './send-events.ts';
import { splitText } from './split-text.ts';

type ChatReply = z.input<typeof chatReplySchema>;

export type ServedChoice = Omit<ChatReply['choices'][number], 'message'> & {
  index: number;
  message: AssistantMessage;
  finish_reason: string;
};

export type ServedChat = Omit<ChatReply, 'choices'> & {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: ServedChoice[];
  usage: ReturnType<typeof countUsage>;
  policy_version: number;
  model_version_id?: string;
  prompt_token_ids?: number[];
};

/**
 * Streams a reply that is complete: engines give whole replies, so the first piece comes when the last one is known. What
 * goes beyond OpenAI's fields comes with the piece that has the finish reason.
 */
export function streamChat(
  reply: FastifyReply,
  chat: ServedChat,
  { withUsage }: { withUsage: boolean },
): Promise<FastifyReply> {
  return sendEvents(reply, toChunks(chat, withUsage));
}

function* toChunks(chat: ServedChat, withUsage: boolean): Generator {
  const { id, created, model, policy_version, model_version_id, prompt_token_ids } = chat;
  const head = {
    ...{ id, object: 'chat.completion.chunk', created, model, policy_version },
    ...(model_version_id === undefined ? {} : { model_version_id }),
  };
  const usage = withUsage ? { usage: null } : {};
  for (const [place, choice] of chat.choices.entries()) {
    const prompt = place === 0 && prompt_token_ids !== undefined ? { prompt_token_ids } : {};
    let isFirst = true;
    for (const piece of toChoicePieces(choice)) {
      yield { ...head, ...(isFirst ? prompt : {}), choices: [piece], ...usage };
      isFirst = false;
    }
  }
  if (withUsage) yield { ...head, choices: [], usage: chat.usage };
}

function* toChoicePieces(choice: ServedChoice): Generator {
  const { index, message, finish_reason, logprobs, ...extras } = choice;
  const piece = (delta: object): object => ({ index, delta, logprobs: null, finish_reason: null });
  yield piece({ role: 'assistant', content: '' });
  for (const text of splitText(message.reasoning_content ?? '')) yield piece({ reasoning_content: text });
  for (const text of splitText(message.content ?? '')) yield piece({ content: text });
  for (const [place, call] of (message.tool_calls ?? []).entries()) {
    const { name, arguments: text } = call.function;
    yield piece({ tool_calls: [{ index: place, id: call.id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of splitText(text)) {
      yield piece({ tool_calls: [{ index: place, function: { arguments: part } }] });
    }
  }
  yield { index, delta: {}, logprobs, finish_reason, ...extras };
}
