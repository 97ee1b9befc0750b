import type { ConversationRecord, OfferedTool, PreferenceRecord, ChatMessage } from '@lachesis/protocol';
import fc from 'fast-check';

/** Texts with everything that formats stumble over. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  fc.constantFrom(
    'Grüße 😀',
    'two\nlines',
    ' padded ',
    '\u00a0',
    '<think>\nx\n</think>',
    '</tool_call>',
    '{"a":1}',
    '[1.0]',
    '1e999',
  ),
);

const json = fc.oneof(
  fc.constantFrom('{}', '{"x": 1.0}', '{"x":1}', '{"n": 12345678901234567890}', '{"10": 1, "2": 2}', '{bad', '', '[1]'),
  fc
    .dictionary(fc.string({ maxLength: 4 }), fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)), {
      maxKeys: 3,
    })
    .map((value) => JSON.stringify(value)),
);

const thinking = fc.option(text, { nil: undefined, freq: 2 });

const makeExchange = (text: fc.Arbitrary<string>, json: fc.Arbitrary<string>) =>
  fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('user' as const), content: text }),
      fc.record({
        kind: fc.constant('reply' as const),
        content: text,
        thinking: fc.option(text, { nil: undefined, freq: 2 }),
      }),
      fc.record({
        kind: fc.constant('calls' as const),
        content: fc.option(text),
        thinking: fc.option(text, { nil: undefined, freq: 2 }),
        calls: fc.array(
          fc.record({
            name: fc.constantFrom('search', 'read', 'wörter'),
            arguments: json,
            answer: fc.option(fc.oneof(text, json)),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    ),
    { maxLength: 5 },
  );

/** Conversations as agents have them: questions, thinking, calls, and answers to most of them. */
export const makeMessages = (text: fc.Arbitrary<string>, json: fc.Arbitrary<string>): fc.Arbitrary<ChatMessage[]> =>
  fc.tuple(fc.option(text, { nil: undefined }), text, makeExchange(text, json)).map(([system, question, steps]) => {
    const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
    messages.push({ role: 'user', content: question });
    for (const [at, step] of steps.entries()) {
      if (step.kind === 'user') messages.push({ role: 'user', content: step.content });
      else {
        const reply: ChatMessage = { role: 'assistant', content: step.content };
        if (step.thinking !== undefined) reply.reasoning_content = step.thinking;
        if (step.kind === 'calls')
          reply.tool_calls = step.calls.map((call, place) => ({
            id: `call-${at}-${place}`,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          }));
        messages.push(reply);
        if (step.kind === 'calls')
          for (const [place, { answer }] of step.calls.entries())
            if (answer !== null) messages.push({ role: 'tool', content: answer, tool_call_id: `call-${at}-${place}` });
      }
    }
    return messages;
  });

export const arbitraryMessages = makeMessages(text, json);

/** Conversations with nothing in them that any of the formats would change. */
export const tameMessages = makeMessages(
  fc.constantFrom('plain', 'Grüße 😀', 'two\nlines', 'a "quoted" \\ word', 'a\u2028b'),
  fc.constantFrom('{}', '{"x": 1.0, "y": [1, 2.5]}', '{"n": 12345678901234567890}', '{"10": 1, "2": "é"}'),
);

const tools: fc.Arbitrary<OfferedTool[] | null> = fc.option(
  fc.array(
    fc.record({ name: fc.constantFrom('search', 'read'), description: text }).map((definition): OfferedTool => ({
      type: 'function',
      function: { ...definition, parameters: { type: 'object', properties: { q: { type: 'string' } } } },
    })),
    { maxLength: 2 },
  ),
);

const shared = {
  tools,
  tags: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  split: fc.constantFrom('train', 'test'),
  weight: fc.constantFrom(1, 1, 0, 0.5),
  consent: fc.constantFrom('train' as const, 'train' as const, 'keep' as const),
};

export const arbitraryConversation: fc.Arbitrary<ConversationRecord> = fc.record({
  kind: fc.constant('conversation' as const),
  id: fc.uuid(),
  trajectory_id: fc.option(fc.uuid()),
  messages: arbitraryMessages,
  ...shared,
  model: fc.option(fc.constantFrom('m', 'ünï/model')),
  timestamp: fc.option(fc.constant('2026-11-15T08:00:00.000001')),
  completed: fc.boolean(),
  partial: fc.boolean(),
  reward: fc.option(fc.constantFrom(0, 1, 0.25)),
  rating: fc.option(fc.constantFrom(0, 1)),
  tokens: fc.option(fc.constant({ token_ids: [1, 2], mask: [0, 1] as (0 | 1)[], logprobs: [0, -0.5] })),
  extra: fc.constant({}),
});

const side = fc
  .tuple(text, thinking)
  .map(([content, thought]): ChatMessage[] => [
    thought === undefined ? { role: 'assistant', content } : { role: 'assistant', content, reasoning_content: thought },
  ]);

export const arbitraryPreference: fc.Arbitrary<PreferenceRecord> = fc.record({
  kind: fc.constant('preference' as const),
  id: fc.uuid(),
  trajectory_id: fc.option(fc.uuid()),
  prompt: arbitraryMessages,
  chosen: side,
  rejected: side,
  ...shared,
  feedback_ids: fc.array(fc.uuid(), { maxLength: 2 }),
  extra: fc.constant({}),
});
