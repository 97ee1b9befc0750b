import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpstreamBackend } from './create-station.ts';
import { createStorePolicyMemory } from './policy/memory.ts';
import { createSendUpstream } from './upstream/send-upstream.ts';
import { createInferenceKit, type InferenceBench, type InferenceKit } from './bench.fixture.ts';

const HELLO = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 4, return_token_ids: true };

let kit: InferenceKit;
beforeAll(async () => void (kit = await createInferenceKit()));
afterAll(() => kit[Symbol.asyncDispose]());

const chat = (bench: InferenceBench) => bench.call('POST', '/v1/chat/completions', HELLO);

interface Upstream extends AsyncDisposable {
  backend: UpstreamBackend;
  requests: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[];
  hangUps: number;
}

async function startUpstream(
  answer: (response: ServerResponse, body: Record<string, unknown>) => void,
): Promise<Upstream> {
  const requests: Upstream['requests'] = [];
  const server: Server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) upstream.hangUps += 1;
    });
    void readText(request).then((text) => {
      const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      answer(response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = createSendUpstream({ maxSockets: 10 });
  const upstream: Upstream = {
    backend: {
      kind: 'upstream',
      send,
      url: `http://127.0.0.1:${port}/api/v1`,
      apiKey: 'their-key',
      models: new Map([['policy', 'qwen/qwen3-8b']]),
      close: send.close,
    },
    requests,
    hangUps: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}

describe('an OpenAI-compatible server behind it', () => {
  it('gets requests under its own model name and key, and its replies go back as they are', async () => {
    await using upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r-1' });
      response.end('{"id":"1",  "choices":[]}');
    });
    await using bench = await kit.bench(upstream.backend);
    const reply = await bench.call(
      'POST',
      '/v1/chat/completions',
      { ...HELLO, model: 'policy', odd: true },
      { authorization: 'Bearer mine' },
    );
    expect(reply.text).toBe('{"id":"1",  "choices":[]}');
    expect(reply.headers['x-request-id']).toBe('r-1');
    expect(upstream.requests[0]).toMatchObject({
      path: '/api/v1/chat/completions',
      headers: { authorization: 'Bearer their-key' },
      body: { model: 'qwen/qwen3-8b', odd: true },
    });
    await bench.call('POST', '/generate', { input_ids: [1] });
    await bench.call('GET', '/v1/models');
    expect(upstream.requests.slice(1).map(({ path }) => path)).toEqual(['/api/generate', '/api/v1/models']);
    expect((await bench.call('POST', '/v1/policy', { model_path: null, policy_version: 1, step: 1 })).status).toBe(409);
  });

  it('gets the caller’s own key where we have none, and never a token of ours', async () => {
    await using upstream = await startUpstream((response) => response.end('{}'));
    await using bench = await kit.bench({ ...upstream.backend, apiKey: undefined });
    const seen = async (headers: Record<string, string>) => {
      await bench.call('POST', '/v1/chat/completions', HELLO, headers);
      return upstream.requests.at(-1)?.headers;
    };
    const token = `lch_${'x'.repeat(20)}`;
    const basic = `Basic ${Buffer.from(`user:${token}`).toString('base64')}`;
    expect((await seen({ authorization: 'Bearer sk-theirs' }))?.authorization).toBe('Bearer sk-theirs');
    expect((await seen({ authorization: 'Bearer c2s+a+b' }))?.authorization).toBe('Bearer c2s+a+b');
    for (const authorization of [`Bearer ${token}`, `Bearer ${token}+label`, basic, 'Bearer t:label'])
      expect(await seen({ authorization })).not.toHaveProperty('authorization');
    expect(JSON.stringify(await seen({ 'x-lachesis-token': token }))).not.toContain(token);
  });

  it('streams piece by piece', async () => {
    const finish = Promise.withResolvers<void>();
    await using upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"a":1}\n\n');
      void finish.promise.then(() => response.end('data: [DONE]\n\n'));
    });
    await using bench = await kit.bench(upstream.backend);
    await bench.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = bench.app.server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...HELLO, stream: true }),
    });
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: {"a":1}\n\n');
    finish.resolve();
    expect((await reader.read()).value).toBe('data: [DONE]\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  it('is hung up on within a second when the caller hangs up', async () => {
    await using upstream = await startUpstream(() => undefined);
    await using bench = await kit.bench(upstream.backend);
    await bench.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = bench.app.server.address() as AddressInfo;
    const caller = new AbortController();
    const pending = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(HELLO),
      signal: caller.signal,
    }).catch(() => undefined);
    await expect.poll(() => upstream.requests.length).toBe(1);
    caller.abort();
    await expect.poll(() => upstream.hangUps, { timeout: 1_000, interval: 10 }).toBe(1);
    await pending;
  });

  it('opens the circuit by its failures, passes them on, and is tried again', async () => {
    let isUp = false;
    await using upstream = await startUpstream((response) => {
      response.writeHead(isUp ? 200 : 502, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"bad gateway"}}');
    });
    await using bench = await kit.bench(upstream.backend);
    for (let count = 0; count < 5; count++) expect((await chat(bench)).status).toBe(502);
    expect((await chat(bench)).status).toBe(503);
    expect(upstream.requests).toHaveLength(5);
    isUp = true;
    bench.pass(1_000);
    expect((await chat(bench)).status).toBe(200);
    expect((await chat(bench)).status).toBe(200);
  });

  it('is said not to answer when it does not', async () => {
    const upstream = await startUpstream(() => undefined);
    await upstream[Symbol.asyncDispose]();
    await using bench = await kit.bench(upstream.backend);
    const reply = await chat(bench);
    expect(reply.status).toBe(503);
    expect(reply.json().error).toMatchObject({
      type: 'server_error',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('the memory of policies', () => {
  it('survives in the store, for each run of each tenant', async () => {
    const memoryOf = (tenantId: string, run: string) => createStorePolicyMemory({ store: kit.store, tenantId, run });
    const policy = { policy_version: 3, model_path: 'tinker://a/b', step: 3, base_model: 'm', active_since: 5 };
    await memoryOf('t', 'a').save([policy]);
    expect(await memoryOf('t', 'a').load()).toEqual([policy]);
    expect(await memoryOf('t', 'b').load()).toEqual([]);
    expect(await memoryOf('u', 'a').load()).toEqual([]);
  });
});
