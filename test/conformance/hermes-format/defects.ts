import type { ChatMessage } from '@lachesis/protocol';
import type { MessageList } from './make-lists.ts';

/**
 * What Hermes gets wrong when it saves, and we do not. Each row makes lists that bring it about, and says how ours has to be
 * changed to be the same bytes: so that nothing else can hide behind the defect.
 */
export interface Defect {
  readonly name: string;
  readonly lists: readonly MessageList[];
  readonly imitate: (messages: readonly ChatMessage[]) => ChatMessage[];
}

const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{"x": 1.0}' } });

const makeList = (id: string, at: number, messages: readonly ChatMessage[]): MessageList => ({
  id: `${id}${at}`,
  query: `question ${at}`,
  completed: true,
  messages,
});

export const defects: readonly Defect[] = [
  {
    name: 'answers are named by their place',
    lists: [0, 1, 2, 3].map((at) =>
      makeList('named-by-place-', at, [
        { role: 'user', content: `question ${at}` },
        { role: 'assistant', content: null, tool_calls: [call('call_1', 'say_back'), call('call_2', 'measure')] },
        { role: 'tool', content: '{"of": "measure"}', tool_call_id: 'call_2' },
        { role: 'tool', content: '{"of": "say_back"}', tool_call_id: 'call_1' },
        { role: 'assistant', content: `answer ${at}` },
      ]),
    ),
    // Without their ids we cannot do better than Hermes does.
    imitate: (messages) =>
      messages.map((message) =>
        message.role === 'assistant' && message.tool_calls !== undefined && message.tool_calls !== null
          ? { ...message, tool_calls: message.tool_calls.map(({ id: _unused, ...rest }) => rest) }
          : message,
      ),
  },
  {
    name: 'a question behind a system message stands there twice',
    lists: [0, 1, 2, 3].map((at) =>
      makeList('question-twice-', at, [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: `question ${at}` },
        { role: 'assistant', content: `answer ${at}` },
      ]),
    ),
    imitate: (messages) => messages.flatMap((message) => (message.role === 'user' ? [message, message] : [message])),
  },
];
