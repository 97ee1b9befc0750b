import type { ChatMessage } from '@lachesis/protocol';

const marker = Symbol.for('lachesis.sdk.tool-reply');

/** An image as tools hand it on: base64, without `data:`. */
export interface ToolImage {
  readonly mediaType: string;
  readonly data: string;
}

/** What a tool gives besides text: the images go into the record of the agent. */
export interface ToolReply {
  readonly [marker]: true;
  readonly result: unknown;
  readonly images: readonly ToolImage[];
}

/** For the end of `execute`: the result goes to the model as any other, and the images into the record beside it. */
export function replyWithImages(result: unknown, images: readonly ToolImage[]): ToolReply {
  return { [marker]: true, result, images };
}

export function readToolReply(given: unknown): Pick<ToolReply, 'images' | 'result'> {
  const isReply = typeof given === 'object' && given !== null && marker in given;
  return isReply ? (given as ToolReply) : { result: given, images: [] };
}

export const toDataUrl = ({ mediaType, data }: ToolImage): string => `data:${mediaType};base64,${data}`;

/** The content of the message that answers a call: a text, or parts where there are images. */
export function toToolContent(text: string, images: readonly ToolImage[]): NonNullable<ChatMessage['content']> {
  if (images.length === 0) return text;
  return [
    { type: 'text', text },
    ...images.map((image) => ({ type: 'image_url', image_url: { url: toDataUrl(image) } })),
  ];
}

/**
 * The messages as servers take them: chat APIs refuse images in the answer of a tool, so the model reads its text. The record keeps
 * both.
 */
export function hideToolImages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(hasToolParts)) return messages;
  return messages.map((message) => {
    if (!hasToolParts(message)) return message;
    const texts = message.content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
    return { ...message, content: texts.join('\n') };
  });
}

const hasToolParts = (message: ChatMessage): message is ChatMessage & { content: Record<string, unknown>[] } =>
  message.role === 'tool' && Array.isArray(message.content);
