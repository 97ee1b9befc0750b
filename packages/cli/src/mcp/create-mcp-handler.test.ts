import { createControlClient, createRlTools } from '@lachesis/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { LachesisError } from '@lachesis/protocol';
import { createMcpHandler, type McpAccess, type McpHandlerOptions } from './create-mcp-handler.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { startFakeControl } from './fake-control.fixture.ts';

/** Everybody is who their header says; `nobody` is nobody. */
const access: McpAccess = {
  async admit({ headers }) {
    const { authorization: token } = headers;
    if (token === 'nobody') throw new LachesisError({ code: 'unauthorized', message: 'who are you' });
    return { owner: token ?? null, token };
  },
  watch: () => undefined,
};

async function start(options: Partial<McpHandlerOptions> = {}) {
  const control = await startFakeControl();
  let ids = 0;
  const client = createControlClient({ url: control.url, retryForMs: 0 });
  const handler = createMcpHandler({
    createServer: () => createMcpServer({ client, tools: createRlTools({ client }), version: '1' }),
    access,
    createSessionId: () => `session-${(ids += 1)}`,
    now: () => performance.now(),
    ...options,
  });
  const server = createServer((request, response) => void handler.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    url,
    control,
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await control[Symbol.asyncDispose]();
    },
  };
}

async function connect(url: string, headers: Record<string, string> = {}) {
  const agent = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await agent.connect(transport);
  return { agent, transport };
}

const post = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<number> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
};

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

test('each client has a session, and a limit on status checks of its own', async () => {
  await using bench = await start();
  const { agent: one } = await connect(bench.url);
  const { agent: two } = await connect(bench.url);
  bench.control.setState('running');
  const check = async (agent: Client) => {
    const reply = await agent.callTool({ name: 'rl_check_status', arguments: { run_id: 'a1b2c3d4' } });
    return (reply.structuredContent as { rate_limited?: boolean }).rate_limited === true;
  };
  expect([await check(one), await check(one), await check(two)]).toEqual([false, true, false]);
  await one.close();
  await two.close();
});

test('a session that was ended, or never begun, is not found', async () => {
  await using bench = await start();
  const { agent, transport } = await connect(bench.url);
  const id = transport.sessionId ?? '';
  await transport.terminateSession();
  await agent.close();
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect(await post(bench.url, ping, { 'mcp-session-id': id })).toBe(404);
  expect(await post(bench.url, ping, { 'mcp-session-id': 'nobody' })).toBe(404);
  expect(await post(bench.url, ping)).toBe(400);
  expect(await post(bench.url.replace('/mcp', '/other'), ping)).toBe(404);
});

test('a token is asked for when there is one', async () => {
  await using bench = await start();
  expect(await post(bench.url, {}, { authorization: 'nobody' })).toBe(401);
  const { agent, transport } = await connect(bench.url, { authorization: 'ann' });
  expect((await agent.listTools()).tools).toHaveLength(15);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const id = transport.sessionId ?? '';
  const as = (authorization: string) => post(bench.url, ping, { 'mcp-session-id': id, authorization });
  expect([await as('ann'), await as('bob'), await as('nobody')]).toEqual([200, 404, 401]);
  await agent.close();
});

test('a path that is no address is answered', async () => {
  await using bench = await start();
  for (const path of ['//', '//mcp', '/mcp/', '/%00', '/mcp/../mcp'])
    expect(await post(bench.url.replace('/mcp', path), {})).toBeLessThan(500);
});

test('one token does not take the places of all', async () => {
  await using bench = await start({ maxOwnerSessions: 2 });
  const begin = (authorization: string) => post(bench.url, initialize, { authorization });
  const answers = [await begin('ann'), await begin('ann'), await begin('ann'), await begin('bob')];
  expect(answers).toEqual([200, 200, 429, 200]);
});

test('sessions are bounded, and idle ones make room', async () => {
  let now = 0;
  await using bench = await start({ maxSessions: 1, now: () => now });
  expect(await post(bench.url, initialize)).toBe(200);
  expect(await post(bench.url, initialize)).toBe(503);
  now = 2 * 60 * 60_000;
  expect(await post(bench.url, initialize)).toBe(200);
});
