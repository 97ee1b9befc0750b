import { expect, test } from 'vitest';

import { createChatModel, listModels } from './create-chat-model.ts';

interface Call {
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

function serve(...replies: { status?: number; body: unknown }[]): { fetch: typeof fetch; calls: Call[] } {
  const calls: Call[] = [];
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
    calls.push({ url, headers: init.headers as Record<string, string>, body });
    const reply = replies[Math.min(calls.length, replies.length) - 1]!;
    return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200 });
  };
  return { fetch: answer as typeof fetch, calls };
}
const ask = { messages: [{ role: 'user', content: 'hi' }], tools: [], signal: new AbortController().signal };

test.each([
  ['http://host:1', 'http://host:1/v1/chat/completions'],
  ['http://host:1/v1/', 'http://host:1/v1/chat/completions'],
  ['https://host/v1beta/openai', 'https://host/v1beta/openai/chat/completions'],
])('the base URL %s is meant as %s', async (url, expected) => {
  const { fetch, calls } = serve({ body: { choices: [{ message: { role: 'assistant', content: 'yes' } }] } });
  const reply = await createChatModel({ url, model: 'm', apiKey: 'k', fetch, sampling: { temperature: 0 } })(ask);
  expect(reply).toEqual({
    message: { role: 'assistant', content: 'yes' },
    finishReason: null,
    usage: undefined,
  });
  expect(calls[0]).toMatchObject({ url: expected, headers: { authorization: 'Bearer k' } });
  expect(calls[0]?.body).toEqual({ model: 'm', temperature: 0, messages: ask.messages, stream: false });
});

test('what a provider adds to a message stays on it', async () => {
  const message = {
    role: 'assistant',
    content: null,
    reasoning: 'hm',
    tool_calls: [{ id: 'a', index: 0, function: { name: 'f', arguments: '{}' } }],
  };
  const { fetch } = serve({
    body: { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: { total_tokens: 7 } },
  });
  expect(await createChatModel({ url: 'http://h', model: 'm', fetch })(ask)).toEqual({
    message,
    finishReason: 'tool_calls',
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 7 },
  });
});

test('a busy server is asked again, a refusal is not', async () => {
  const clock = { now: () => 0, sleep: async () => undefined };
  const busy = serve({ status: 503, body: {} }, { body: { choices: [{ message: { content: 'yes' } }] } });
  const reply = await createChatModel({ url: 'http://h', model: 'm', fetch: busy.fetch, clock })(ask);
  expect([reply.message, busy.calls.length]).toEqual([{ role: 'assistant', content: 'yes' }, 2]);
  const refused = serve({ status: 401, body: { error: { message: 'wrong key' } } });
  await expect(createChatModel({ url: 'http://h', model: 'm', fetch: refused.fetch, clock })(ask)).rejects.toThrow(
    '401',
  );
  expect(refused.calls).toHaveLength(1);
});

test('the models of a server are listed', async () => {
  const { fetch, calls } = serve({ body: { data: [{ id: 'a' }, { id: 'b', object: 'model' }] } });
  expect(await listModels({ url: 'http://h/v1', fetch })).toEqual(['a', 'b']);
  expect(calls[0]?.url).toBe('http://h/v1/models');
});
