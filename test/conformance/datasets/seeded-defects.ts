import type { DEFECT_CLASSES } from '../../../packages/data/src/check/check.ts';
import type { ChatMessage, ConversationRecord, DataRecord } from '@lachesis/protocol';

/** One way to spoil a row, and the class that has to name it. */
export interface SeededDefect {
  readonly class: (typeof DEFECT_CLASSES)[number];
  /** Spoils the row at `index`; `rows` are the others, for defects that are between rows. */
  spoil(record: ConversationRecord, index: number, rows: readonly ConversationRecord[]): DataRecord;
}

const withMessages = (
  record: ConversationRecord,
  change: (messages: ChatMessage[]) => ChatMessage[],
): ConversationRecord => ({
  ...record,
  messages: change(record.messages.map((message) => ({ ...message }))),
});

const withTokens = (
  record: ConversationRecord,
  change: (tokens: NonNullable<ConversationRecord['tokens']>) => ConversationRecord['tokens'],
): ConversationRecord => ({ ...record, tokens: record.tokens === null ? null : change(record.tokens) });

/** Changes the last reply, which every row has. */
const withReply = (record: ConversationRecord, change: (reply: ChatMessage) => ChatMessage): ConversationRecord =>
  withMessages(record, (messages) => [...messages.slice(0, -1), change(messages.at(-1)!)]);

const call = (text: string): ChatMessage['tool_calls'] => [
  { id: 'seeded', type: 'function', function: { name: 'search', arguments: text } },
];

/** A call with its answer and a last word, so that nothing but the call itself is wrong. */
const withCall = (
  record: ConversationRecord,
  calls: ChatMessage['tool_calls'],
  answered = 'seeded',
): ConversationRecord =>
  withMessages(record, (messages) => [
    ...messages.slice(0, -1),
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'tool', tool_call_id: answered, content: 'found' },
    messages.at(-1)!,
  ]);

/** Each class at least once; several ways where a class has several. */
export const seededDefects: readonly SeededDefect[] = [
  {
    class: 'prefix-break',
    // The same trajectory as the row before, under another first message.
    spoil: (record, index, rows) => ({
      ...withMessages(rows[index - 1]!, (messages) => [
        { ...messages[0]!, content: 'It is another day.' },
        ...messages.slice(1),
      ]),
      id: record.id,
    }),
  },
  { class: 'missing-logprobs', spoil: (record) => ({ ...record, tokens: null }) },
  { class: 'missing-logprobs', spoil: (record) => withTokens(record, (tokens) => ({ ...tokens, logprobs: null })) },
  {
    class: 'mask-coverage',
    spoil: (record) =>
      withTokens(record, (tokens) => ({
        ...tokens,
        mask: tokens.mask.map(() => 0),
        logprobs: tokens.mask.map(() => 0),
      })),
  },
  {
    class: 'mask-coverage',
    spoil: (record) => withTokens(record, (tokens) => ({ ...tokens, mask: tokens.mask.map(() => 1) })),
  },
  {
    class: 'mask-coverage',
    spoil: (record) => withTokens(record, (tokens) => ({ ...tokens, mask: tokens.mask.slice(1) })),
  },
  { class: 'unparsed-call', spoil: (record) => withCall(record, call('{"query": "a", ')) },
  {
    class: 'unparsed-call',
    spoil: (record) =>
      withReply(record, (reply) => ({ ...reply, content: 'I will look.\n<tool_call>\n{"name": "search"}' })),
  },
  { class: 'duplicate', spoil: (record, index, rows) => ({ ...rows[index - 1]!, id: record.id, trajectory_id: null }) },
  {
    class: 'held-out',
    spoil: (record) =>
      withMessages(record, (messages) => [{ role: 'user', content: `held out ${record.id}` }, messages.at(-1)!]),
  },
  {
    class: 'over-context',
    spoil: (record) =>
      withTokens(record, () => ({
        token_ids: Array.from({ length: 9_000 }, () => 1),
        mask: Array.from({ length: 9_000 }, (_unused, at) => (at < 10 ? 0 : 1)),
        logprobs: Array.from({ length: 9_000 }, (_unused, at) => (at < 10 ? 0 : -1)),
      })),
  },
  { class: 'empty-reply', spoil: (record) => withReply(record, (reply) => ({ ...reply, content: ' \n' })) },
  { class: 'unpaired-call', spoil: (record) => withCall(record, call('{}'), 'another') },
  { class: 'interrupted', spoil: (record) => ({ ...record, partial: true }) },
  {
    class: 'interrupted',
    spoil: (record) => withMessages(record, (messages) => [...messages, { role: 'user', content: 'And then?' }]),
  },
  {
    class: 'role-order',
    spoil: (record) =>
      withMessages(record, (messages) => [...messages, { role: 'assistant', content: 'One more thing.' }]),
  },
  {
    class: 'role-order',
    spoil: (record) =>
      withMessages(record, (messages) => [
        ...messages.slice(0, -1),
        { role: 'system', content: 'Be kind.' },
        messages.at(-1)!,
      ]),
  },
  { class: 'mixed-models', spoil: (record) => ({ ...record, model: 'llama-3.2-1b' }) },
  {
    class: 'absurd-logprobs',
    spoil: (record) =>
      withTokens(record, (tokens) => ({
        ...tokens,
        logprobs: tokens.logprobs?.map((value) => (value === 0 ? 0 : 2.5)) ?? null,
      })),
  },
  {
    class: 'absurd-logprobs',
    spoil: (record) =>
      withTokens(record, (tokens) => ({
        ...tokens,
        logprobs: tokens.logprobs?.map((value) => (value === 0 ? 0 : Number.NEGATIVE_INFINITY)) ?? null,
      })),
  },
  {
    class: 'equal-pair',
    // The same call twice, under another id.
    spoil: ({ id, messages, tools, tags, split, weight, consent }) => {
      const last = messages.at(-1)!;
      const pair = (callId: string): ChatMessage[] => [
        { role: 'assistant', content: null, tool_calls: call('{}')!.map((one) => ({ ...one, id: callId })) },
        { role: 'tool', tool_call_id: callId, content: 'found' },
        last,
      ];
      return {
        ...{ kind: 'preference', id, trajectory_id: null, prompt: messages.slice(0, -1), tools, tags, split, weight },
        ...{ consent, chosen: pair('call_41'), rejected: pair('call_32'), feedback_ids: [], extra: {} },
      };
    },
  },
  {
    class: 'dropped-tools',
    spoil: (record) => ({
      ...record,
      tools: [{ type: 'function', function: { name: 'search', description: 'Searches.', parameters: {} } }],
    }),
  },
];
