import { createIdSource, createRedactor, type CallRecord } from '@lachesis/protocol';
import { createToken } from '@lachesis/store';
import OpenAI from 'openai';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpstreamBackend } from './create-station.ts';
import type { CallRecorder } from './recording/call-recorder.ts';
import { createCallRecorder } from './recording/create-call-recorder.ts';
import { createScriptedSource, IM_END, sampled } from './scripted-source.fixture.ts';
import { createSendUpstream } from './upstream/send-upstream.ts';
import { createInferenceKit, type InferenceKit } from './bench.fixture.ts';

let kit: InferenceKit;
beforeAll(async () => void (kit = await createInferenceKit()));
afterAll(() => kit[Symbol.asyncDispose]());

const HELLO = { model: 'any', messages: [{ role: 'user' as const, content: 'hi' }] };
const CHAT = '/v1/chat/completions';

function listen(): { recorder: CallRecorder; records: CallRecord[] } {
  const records: CallRecord[] = [];
  const recorder = createCallRecorder({
    recorder: 'gateway-1',
    append: (_tenantId, record) => void records.push(record),
    redactor: createRedactor(),
    findTrajectory: (_tenantId, key) => (key === 'known' ? 'trajectory-1' : undefined),
    prices: {},
    consent: 'keep',
    capturesRollouts: false,
    ids: createIdSource(),
    now: Date.now,
    onLost: (error) => {
      throw error;
    },
  });
  return { recorder, records };
}

const speaking = (text: string) =>
  createScriptedSource(({ samples }) => ({
    sequences: Array.from({ length: samples }, () => sampled(text, [IM_END])),
  }));

describe('weights of our own', () => {
  it('are recorded with their tokens whether the caller asked for them or not, streamed or not', async () => {
    const { recorder, records } = listen();
    await using bench = await kit.bench({ source: speaking('yes') }, {}, recorder);
    const plain = await bench.call('POST', CHAT, { ...HELLO, n: 2 });
    expect(plain.json().choices[0]).not.toHaveProperty('token_ids');
    await bench.call('POST', CHAT, { ...HELLO, stream: true });
    const { tokens, logprobs } = sampled('yes', [IM_END]);
    const reply = {
      message: { role: 'assistant', content: 'yes' },
      finish_reason: 'stop',
      tokens: { token_ids: [...tokens], logprobs: [...logprobs], policy_version: 0 },
      tokens_missing: null,
    };
    expect(records).toMatchObject([
      { state: 'complete', model: 'tiny', upstream: null, is_stream: false, consent: 'keep', replies: [reply, reply] },
      { state: 'complete', is_stream: true, replies: [reply], usage: { completion_tokens: 4 } },
    ]);
    expect(records[0]?.replies[0]?.tokens?.prompt_token_ids?.length).toBe(records[1]?.usage?.prompt_tokens);
  });

  it('are recorded with the tool calls that were read, and under completions and generate too', async () => {
    const { recorder, records } = listen();
    const calling = 'Look.\n<tool_call>{"name": "add", "arguments": {"a": 1.0}}</tool_call>';
    await using bench = await kit.bench({ source: speaking(calling) }, {}, recorder);
    const tools = [{ type: 'function', function: { name: 'add', parameters: {} } }];
    await bench.call('POST', CHAT, { ...HELLO, tools });
    await bench.call('POST', '/v1/completions', { prompt: ['a', 'b'] });
    await bench.call('POST', '/generate', { input_ids: [1, 2] });
    await bench.call('POST', '/generate', { prompt: 'a' });
    expect(records).toMatchObject([
      {
        tools,
        replies: [
          {
            finish_reason: 'tool_calls',
            message: { content: 'Look.', tool_calls: [{ function: { name: 'add', arguments: '{"a": 1.0}' } }] },
          },
        ],
      },
      {
        metadata: { endpoint: 'completions' },
        messages: [{ content: 'a' }],
        replies: [{ message: { content: calling } }],
      },
      { messages: [{ content: 'b' }], replies: [{ tokens: { prompt_token_ids: [98] } }] },
      { metadata: { endpoint: 'generate' }, replies: [{ tokens: { prompt_token_ids: [1, 2] } }] },
      { messages: [{ content: 'a' }], replies: [{ tokens: { prompt_token_ids: [97] } }] },
    ]);
  });

  it('are recorded when they refuse or fail', async () => {
    const { recorder, records } = listen();
    const source = createScriptedSource(() => {
      throw new Error('lost');
    });
    await using bench = await kit.bench({ source }, {}, recorder);
    await bench.call('POST', CHAT, { ...HELLO, temperature: -1 });
    await bench.call('POST', CHAT, HELLO);
    expect(records).toMatchObject([
      { state: 'failed', messages: HELLO.messages, replies: [], error: { status: 400 } },
      { state: 'failed', error: { message: 'lost', status: 500 } },
    ]);
  });

  it('joins by header before path before key, and says the trajectory when it is known', async () => {
    const { recorder, records } = listen();
    await using bench = await kit.bench({ source: speaking('yes') }, {}, recorder);
    const key = (value: string): Record<string, string> => ({ authorization: `Bearer ${value}` });
    const header = { 'x-lachesis-trajectory': 'known' };
    const first = await bench.call('POST', `/t/path${CHAT}`, HELLO, { ...header, ...key('lch_x+key') });
    expect(first.headers).toMatchObject({
      'x-lachesis-recorded': 'true',
      'x-lachesis-trajectory-id': 'trajectory-1',
    });
    await bench.call('POST', `/t/path${CHAT}`, HELLO, key('lch_x+key'));
    await bench.call('POST', CHAT, HELLO, key('lch_x+key'));
    await bench.call('POST', CHAT, HELLO, key('t:key2'));
    await bench.call('POST', CHAT, HELLO, key('sk-plain'));
    await bench.call('POST', CHAT, HELLO, key('c2s+dGhlaXJz'));
    await bench.call('POST', '/t/a%20b/generate', { input_ids: [1] });
    expect(records.map(({ trajectory }) => trajectory)).toEqual(['known', 'path', 'key', 'key2', null, null, 'a b']);
    expect((await bench.call('GET', '/t/path/v1/models')).status).toBe(200);
  });

  it('leaves out rollouts and who says none, and refuses a consent it does not know', async () => {
    const { recorder, records } = listen();
    await using bench = await kit.bench({ source: speaking('yes') }, {}, recorder);
    await bench.call('POST', CHAT, HELLO, { 'x-lachesis-rollout-id': '0192aaaa-0000-7000-8000-000000000000' });
    await bench.call('POST', CHAT, HELLO, { 'x-lachesis-consent': 'none' });
    const odd = await bench.call('POST', CHAT, HELLO, { 'x-lachesis-consent': 'nope' });
    expect(odd.status).toBe(400);
    expect(odd.json().error.param).toBe('x-lachesis-consent');
    expect(records).toEqual([]);
    const labels = { 'x-lachesis-consent': 'evaluate', 'x-lachesis-user': 'ann', 'x-lachesis-tags': 'a, b,a' };
    await bench.call('POST', CHAT, HELLO, labels);
    expect(records).toMatchObject([{ consent: 'evaluate', user: 'ann', tags: ['a', 'b'] }]);
  });
});

interface Upstream extends AsyncDisposable {
  backend: UpstreamBackend;
  requests: { path: string; headers: IncomingHttpHeaders; text: string }[];
}

async function startUpstream(answer: (response: ServerResponse, path: string) => void): Promise<Upstream> {
  const requests: Upstream['requests'] = [];
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      requests.push({ path: request.url ?? '', headers: request.headers, text });
      answer(response, request.url ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = createSendUpstream({ maxSockets: 10 });
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    backend: { kind: 'upstream', send, url, apiKey: 'their-key', models: new Map(), close: send.close },
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const NEVER = { upstreamTokens: 'never' };
const events = (...values: unknown[]): string => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
const piece = (delta: object, rest: object = {}): object => ({ choices: [{ index: 0, delta, ...rest }] });
const STREAM = `${events(piece({ role: 'assistant', content: 'he' }), piece({ content: 'y' }), piece({}, { finish_reason: 'stop' }))}data: [DONE]\n\n`;

async function address(bench: Awaited<ReturnType<InferenceKit['bench']>>): Promise<string> {
  await bench.app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(bench.app.server.address() as AddressInfo).port}`;
}

describe('a server behind the gateway', () => {
  it('gets the bytes that were sent and its bytes come back, recorded in between', async () => {
    const { recorder, records } = listen();
    const body =
      '{"id":"1",  "model":"big","choices":[{"index":0,"message":{"role":"assistant","content":"hey"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":0.01}}';
    await using upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    });
    await using bench = await kit.bench(upstream.backend, NEVER, recorder);
    const reply = await bench.call('POST', `/t/job-1${CHAT}`, { ...HELLO, odd: 1 });
    expect(reply.text).toBe(body);
    expect(upstream.requests).toMatchObject([{ path: CHAT, text: JSON.stringify({ ...HELLO, odd: 1 }) }]);
    expect(records).toMatchObject([
      {
        ...{ state: 'complete', trajectory: 'job-1', model: 'big', cost: 0.01, sampling: { odd: 1 } },
        upstream: new URL(upstream.backend.url).host,
        replies: [{ message: { content: 'hey' }, tokens: null, tokens_missing: 'backend-returns-none' }],
      },
    ]);
  });

  it('is recorded before the last line of a stream is passed on', async () => {
    const { recorder, records } = listen();
    const finish = Promise.withResolvers<void>();
    await using upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(STREAM.slice(0, 60));
      void finish.promise.then(() => response.end(STREAM.slice(60)));
    });
    await using bench = await kit.bench(upstream.backend, NEVER, recorder);
    const reply = await fetch(`${await address(bench)}${CHAT}`, {
      method: 'POST',
      body: JSON.stringify({ ...HELLO, stream: true }),
    });
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = (await reader.read()).value ?? '';
    expect(seen).toBe(STREAM.slice(0, 60));
    expect(records).toEqual([]);
    finish.resolve();
    while (!seen.includes('[DONE]')) seen += (await reader.read()).value ?? '';
    expect(seen).toBe(STREAM);
    expect(records).toMatchObject([
      { state: 'complete', is_stream: true, replies: [{ message: { content: 'hey' }, finish_reason: 'stop' }] },
    ]);
    expect(records[0]!.first_token_at).toBeLessThanOrEqual(records[0]!.ended_at);
  });

  it('is recorded as interrupted with what had arrived when the caller hangs up, or it breaks off', async () => {
    const { recorder, records } = listen();
    let breaks = false;
    await using upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(STREAM.slice(0, STREAM.indexOf('\n\n') + 2), () => breaks && response.destroy());
    });
    await using bench = await kit.bench(upstream.backend, NEVER, recorder);
    const url = await address(bench);
    const caller = new AbortController();
    const ask = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}${CHAT}`, {
        method: 'POST',
        body: JSON.stringify({ ...HELLO, stream: true }),
        signal: signal ?? null,
      });
    const reply = await ask(caller.signal);
    await reply.body!.getReader().read();
    caller.abort();
    await expect.poll(() => records.length).toBe(1);
    breaks = true;
    await (await ask()).text().catch(() => undefined);
    await expect.poll(() => records.length).toBe(2);
    const half = { state: 'interrupted', replies: [{ message: { content: 'he' }, tokens_missing: 'interrupted' }] };
    expect(records).toMatchObject([
      { ...half, error: null },
      { ...half, error: { message: expect.any(String) } },
    ]);
  });

  it('is recorded when it refuses, and when it is away', async () => {
    const { recorder, records } = listen();
    const upstream = await startUpstream((response) => {
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"slow down"}}');
    });
    await using bench = await kit.bench(upstream.backend, NEVER, recorder);
    expect((await bench.call('POST', CHAT, HELLO)).status).toBe(429);
    await upstream[Symbol.asyncDispose]();
    expect((await bench.call('POST', CHAT, HELLO)).status).toBe(503);
    expect(records).toMatchObject([
      { state: 'failed', replies: [], error: { message: 'slow down', status: 429 } },
      { state: 'failed', replies: [], error: { status: 503 } },
    ]);
  });

  it('is asked for tokens when it is one that has them', async () => {
    const { recorder, records } = listen();
    await using upstream = await startUpstream((response, path) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (path === '/v1/models') response.end('{"data":[{"id":"q","owned_by":"vllm"}]}');
      else {
        response.end(
          JSON.stringify({
            prompt_token_ids: [4],
            choices: [
              {
                ...{ index: 0, message: { role: 'assistant', content: 'a' }, token_ids: [5] },
                logprobs: { content: [{ token: 'a', logprob: -1 }] },
              },
            ],
          }),
        );
      }
    });
    await using bench = await kit.bench(upstream.backend, {}, recorder);
    await bench.call('POST', CHAT, HELLO);
    await bench.call('POST', CHAT, { ...HELLO, logprobs: false });
    await bench.call('POST', CHAT, HELLO, { 'x-lachesis-consent': 'none' });
    expect(upstream.requests.map(({ text }) => (text === '' ? '' : (JSON.parse(text) as unknown)))).toEqual([
      '',
      { ...HELLO, return_token_ids: true, logprobs: true },
      { ...HELLO, return_token_ids: true, logprobs: false },
      HELLO,
    ]);
    expect(records[0]?.replies[0]?.tokens).toEqual({
      ...{ prompt_token_ids: [4], token_ids: [5], logprobs: [-1], policy_version: null },
    });
  });
});

describe("OpenAI's own client", () => {
  it('names a trajectory by its base URL or by its key, with and without a token', async () => {
    const { recorder, records } = listen();
    await using other = await createInferenceKit();
    await using bench = await other.bench({ source: speaking('yes') }, {}, recorder);
    const url = await address(bench);
    const ask = (path: string, apiKey: string): Promise<unknown> =>
      new OpenAI({ baseURL: `${url}${path}/v1`, apiKey, maxRetries: 0 }).chat.completions.create(HELLO);
    await ask('/t/by-path', 'none');
    await ask('', 't:by-key');
    const { token } = await createToken({ store: other.store, tenantId: 'a', name: 'x', scopes: ['inference:call'] });
    await expect
      .poll(
        () =>
          ask('', 't:by-key').then(
            () => 'taken',
            () => 'refused',
          ),
        { timeout: 3_000 },
      )
      .toBe('refused');
    const before = records.length;
    await ask('', `${token}+by-token`);
    expect(records[0]?.trajectory).toBe('by-path');
    expect(records[1]?.trajectory).toBe('by-key');
    expect(records.slice(before).map(({ trajectory }) => trajectory)).toEqual(['by-token']);
    expect(JSON.stringify(records)).not.toContain(token);
  });
});
