import { expect, test } from 'vitest';

import type { Recorder } from '../recorder/create-recorder.ts';
import type { CallDraft, RecordDraft } from '../recorder/record-draft.ts';
import { inTrajectory } from '../recorder/trajectory-scope.ts';
import { recordFetch } from './record-fetch.ts';
import { recordOpenAI } from './record-openai.ts';

const encoder = new TextEncoder();

/** A recorder that keeps what it is told. */
function fakeRecorder(): Recorder & { drafts: CallDraft[] } {
  const drafts: CallDraft[] = [];
  const record = (draft: RecordDraft) => (drafts.push(draft as CallDraft), 'id');
  return { name: 'test', now: () => 5, record, flush: async () => {}, close: async () => {}, drafts };
}

/** Asks for a completion of a fetch that answers so. */
async function ask(answer: () => Response | Promise<Response>, body: object = {}, path = '/v1/chat/completions') {
  const recorder = fakeRecorder();
  const send = recordFetch(async () => answer(), { recorder, tags: ['t'] });
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }], temperature: 0.5, ...body };
  const response = send(`http://api.example${path}`, { method: 'POST', body: JSON.stringify(request) });
  return { recorder, response };
}

/** A stream whose pieces are cut at the places that hurt. */
function streamed(text: string, size: number, end: 'close' | 'break' = 'close'): Response {
  const bytes = encoder.encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += size)));
      else if (end === 'close') controller.close();
      else controller.error(new Error('cut'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const events = (...chunks: object[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

const CHUNKS = events(
  { model: 'm-2', prompt_token_ids: [1, 2], choices: [{ index: 0, delta: { role: 'assistant', content: 'Hé' } }] },
  { choices: [{ index: 0, delta: { reasoning_content: 'hm' }, token_ids: [7], token_logprobs: [-0.5] }] },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'add', arguments: '{"a"' } }] },
      },
    ],
  },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, function: { arguments: ': 1}' } }] },
        finish_reason: 'tool_calls',
        token_ids: [8],
        token_logprobs: [-1],
      },
    ],
  },
  { choices: [], usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 }, policy_version: 3 },
);

test('a whole reply is recorded and handed on as it was', async () => {
  const reply = {
    model: 'm-1',
    choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };
  const { recorder, response } = await ask(() => Response.json(reply));
  expect(await (await response).json()).toEqual(reply);
  expect(recorder.drafts).toEqual([
    expect.objectContaining({
      ...{ kind: 'call', state: 'complete', source: 'openai', model: 'm-1', upstream: 'api.example', is_stream: false },
      ...{ messages: [{ role: 'user', content: 'hi' }], sampling: { temperature: 0.5 }, tools: null, tags: ['t'] },
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      replies: [
        {
          message: { role: 'assistant', content: 'hello' },
          finish_reason: 'stop',
          tokens: null,
          tokens_missing: 'backend-returns-none',
        },
      ],
    }),
  ]);
});

test.for([1, 3, 1_000])('a stream is recorded whole when it comes in pieces of %i bytes', async (size) => {
  const { recorder, response } = await ask(() => streamed(`${CHUNKS}data: [DONE]\n\n`, size), { stream: true });
  expect(await (await response).text()).toBe(`${CHUNKS}data: [DONE]\n\n`);
  expect(recorder.drafts[0]).toMatchObject({
    ...{ state: 'complete', model: 'm-2', is_stream: true, first_token_at: 5 },
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    replies: [
      {
        message: {
          ...{ role: 'assistant', content: 'Hé', reasoning_content: 'hm' },
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a": 1}' } }],
        },
        finish_reason: 'tool_calls',
        tokens: { prompt_token_ids: [1, 2], token_ids: [7, 8], logprobs: [-0.5, -1], policy_version: 3 },
        tokens_missing: null,
      },
    ],
  });
  expect(recorder.drafts).toHaveLength(1);
});

test('a stream is on record before its last word is handed on', async () => {
  const { recorder, response } = await ask(() => streamed(`${CHUNKS}data: [DONE]\n\n`, 1_000_000), { stream: true });
  const reader = (await response).body!.getReader();
  await reader.read();
  expect(recorder.drafts).toHaveLength(1);
  await reader.cancel();
  expect(recorder.drafts).toHaveLength(1);
});

test('a stream that breaks off, or that the caller leaves, is recorded as far as it came', async () => {
  const broken = await ask(() => streamed(CHUNKS.slice(0, 200), 50, 'break'), { stream: true });
  await expect((await broken.response).text()).rejects.toThrow('cut');
  const left = await ask(() => streamed(CHUNKS, 150), { stream: true });
  const reader = (await left.response).body!.getReader();
  await reader.read();
  await reader.cancel();
  for (const { recorder } of [broken, left]) {
    expect(recorder.drafts).toMatchObject([
      { state: 'interrupted', replies: [{ message: { content: 'Hé' }, tokens: null, tokens_missing: 'interrupted' }] },
    ]);
  }
});

test('a refusal and a call that never got there are recorded as failed, and reach the caller', async () => {
  const refused = await ask(() => Response.json({ error: { message: 'no such model' } }, { status: 404 }));
  expect((await refused.response).status).toBe(404);
  expect(refused.recorder.drafts).toMatchObject([
    { state: 'failed', replies: [], error: { message: 'no such model', status: 404 } },
  ]);
  const away = await ask(() => Promise.reject(new Error('ECONNREFUSED')));
  await expect(away.response).rejects.toThrow('ECONNREFUSED');
  expect(away.recorder.drafts).toMatchObject([{ state: 'failed', error: { message: 'ECONNREFUSED', status: null } }]);
});

test('what is no call of a model, and what our own server recorded, is left alone', async () => {
  const models = await ask(() => Response.json({ data: [] }), {}, '/v1/models');
  await models.response;
  const recorded = await ask(() => Response.json({ choices: [] }, { headers: { 'x-lachesis-recorded': 'true' } }));
  await recorded.response;
  expect([models.recorder.drafts, recorded.recorder.drafts]).toEqual([[], []]);
});

test('the responses API is recorded as a chat', async () => {
  const reply = {
    model: 'm-1',
    status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'function_call', call_id: 'c', name: 'add', arguments: '{}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ],
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  const body = {
    messages: undefined,
    instructions: 'be brief',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'function_call_output', call_id: 'b', output: 'ok' },
    ],
  };
  const { recorder, response } = await ask(() => Response.json(reply), body, '/v1/responses');
  await response;
  expect(recorder.drafts[0]).toMatchObject({
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
    ],
    replies: [{ message: { role: 'assistant', content: 'done', reasoning_content: 'hm', tool_calls: [{ id: 'c' }] } }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  });
});

test('a streamed response is recorded whole, and as far as it came when it breaks off', async () => {
  const begun = [
    { type: 'response.created', response: { model: 'm-1', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', role: 'assistant', content: [] } },
    { type: 'response.output_text.delta', output_index: 0, delta: 'do' },
  ];
  const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }];
  const usage = { input_tokens: 3, output_tokens: 4 };
  const last = { type: 'response.completed', response: { model: 'm-1', status: 'completed', output, usage } };
  const whole = await ask(() => streamed(events(...begun, last), 1_000_000), { stream: true }, '/v1/responses');
  const reader = (await whole.response).body!.getReader();
  await reader.read();
  expect(whole.recorder.drafts).toMatchObject([
    { state: 'complete', usage: { total_tokens: 7 }, replies: [{ message: { content: 'done' } }] },
  ]);
  await reader.cancel();
  const broken = await ask(() => streamed(events(...begun), 50), { stream: true }, '/v1/responses');
  await (await broken.response).text();
  expect(broken.recorder.drafts).toMatchObject([
    {
      ...{
        state: 'interrupted',
        model: 'm-1',
        error: { message: expect.stringContaining('ended the stream') as string },
      },
      replies: [{ message: { content: 'do' } }],
    },
  ]);
});

test('completions of several prompts are a record each, and the usage is kept once', async () => {
  const choices = [0, 1].map((index) => ({ index, text: `t${index}`, finish_reason: 'stop' }));
  const body = { messages: undefined, prompt: ['a', 'b'], user: 'ann' };
  const answer = { model: 'm', choices, usage: { prompt_tokens: 2, completion_tokens: 2 } };
  const { recorder, response } = await ask(() => Response.json(answer), body, '/v1/completions');
  await response;
  expect(recorder.drafts).toMatchObject([
    {
      user: 'ann',
      messages: [{ content: 'a' }],
      replies: [{ message: { content: 't0' } }],
      usage: { total_tokens: 4 },
    },
    { user: 'ann', messages: [{ content: 'b' }], replies: [{ message: { content: 't1' } }], usage: null },
  ]);
});

test('labels of the scope a call is made in go with it', async () => {
  const recorder = fakeRecorder();
  const send = recordFetch(async () => Response.json({ choices: [] }), { recorder, trajectory: 'outer' });
  const request = { method: 'POST', body: JSON.stringify({ model: 'm', messages: [] }) };
  await inTrajectory('inner', () => send('http://x/v1/chat/completions', request));
  expect(recorder.drafts[0]?.trajectory).toBe('inner');
});

test('a client is recorded once, and what is no client is refused with a sentence', () => {
  const client = { fetch: async () => Response.json({}) };
  expect(recordOpenAI(client)).toBe(client);
  const { fetch: recording } = client;
  recordOpenAI(client);
  expect(client.fetch).toBe(recording);
  expect(() => recordOpenAI({})).toThrow('cannot be recorded');
});
