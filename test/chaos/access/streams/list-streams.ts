import { call } from '../subject/call.ts';
import type { Servers } from '../subject/open-servers.ts';

export interface StreamPlan {
  readonly name: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it says something at once. */
  readonly begins: boolean;
}

const json = { 'content-type': 'application/json' };

/** Everything that stays open: streams and waits, on every server that has one, as a token of the tenant opens it. */
export async function listStreams(servers: Servers, token: string, pathKey: string): Promise<StreamPlan[]> {
  const headers = { authorization: `Bearer ${token}` };
  const [api, control, inference, mcp] = (['trajectory-api', 'control', 'inference', 'mcp'] as const).map(
    (name) => servers.find(name).url,
  );
  const started = await call({ url: `${control}/runs`, method: 'POST', headers, body: '{}' });
  const { run_id: run } = JSON.parse(started.text) as { run_id: string };
  const chat = JSON.stringify({ model: 'toy', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  const registration = JSON.stringify({ batch_size: 2 });
  await call({ url: `${api}/run/streams/v1/registration`, method: 'PUT', headers, body: registration });
  const get = { method: 'GET', headers, begins: true } as const;
  return [
    { name: 'events of a run', url: `${api}/run/streams/v1/events`, ...get },
    {
      ...{ name: 'wait for a batch', url: `${api}/run/streams/v1/batches`, method: 'POST', begins: false },
      ...{ headers: { ...headers, ...json }, body: JSON.stringify({ wait_seconds: 30 }) },
    },
    { name: 'metrics of a run', url: `${control}/runs/${run}/metrics/stream`, ...get },
    { name: 'topics of the page', url: `${control}/v1/stream?topics=runs,metrics:${run}`, ...get },
    {
      ...{ name: 'chat', url: `${inference}/v1/chat/completions`, method: 'POST', begins: true },
      ...{ headers: { ...headers, ...json }, body: chat },
    },
    {
      ...{ name: 'chat by a key in the path', url: `${inference}/key/${pathKey}/v1/chat/completions`, method: 'POST' },
      ...{ headers: json, body: chat, begins: true },
    },
    {
      ...{ name: 'MCP session', url: `${mcp}/mcp`, ...get },
      headers: { ...headers, accept: 'text/event-stream', 'mcp-session-id': await beginSession(`${mcp}/mcp`, headers) },
    },
  ];
}

async function beginSession(url: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...json, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'access', version: '1' } },
    }),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
