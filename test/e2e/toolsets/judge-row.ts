import type { ChatMessage } from '@lachesis/protocol';

export interface Told {
  readonly called: number;
  readonly images: readonly string[];
  readonly faults: readonly string[];
}

/** Looks for each tool in a conversation: called, answered, and not with an error. */
export function judgeConversation(messages: readonly ChatMessage[], tools: readonly string[]): Told {
  const names = new Map<string, string>();
  for (const { tool_calls: calls } of messages)
    for (const { id, function: call } of calls ?? []) names.set(id ?? '', call.name);
  const answers = new Map(
    messages.flatMap(({ role, tool_call_id: id, content }) =>
      role === 'tool' ? [[names.get(id ?? '') ?? 'unknown', content] as const] : [],
    ),
  );
  const faults = tools.flatMap((tool) => {
    const answer = answers.get(tool);
    if (answer === undefined || answer === null) return [`${tool} has no answer`];
    return /^\{\s*"error"/.test(textOf(answer)) ? [`${tool}: ${textOf(answer).slice(0, 200)}`] : [];
  });
  const images = [...answers.values()].flatMap((content) =>
    Array.isArray(content)
      ? content.flatMap((part) => (part.type === 'image_url' ? [(part['image_url'] as { url: string }).url] : []))
      : [],
  );
  return { called: answers.size, images, faults };
}

const textOf = (content: NonNullable<ChatMessage['content']>): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('\n');
