import { Agent, createServer, request as requestHttp } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { nameFate } from './fate.ts';
import type { Fate } from './fate.ts';
import { readTinkerRequest } from './read-request.ts';
import type { TinkerRequest } from './read-request.ts';

/** One request, and what became of it. */
export interface Passage extends TinkerRequest {
  readonly fate: string;
  /** Whether the server got it. */
  readonly reached: boolean;
  /** What the server answered, whether or not that arrived. */
  readonly status: number | undefined;
  /** The server's name for the job. */
  readonly requestId: string | undefined;
}

export interface StormProxyOptions {
  /** Where the server is, on 127.0.0.1. */
  readonly port: number;
  /** Asked once for each request. */
  readonly decide: (request: TinkerRequest) => Fate;
}

export interface StormProxy {
  readonly url: string;
  /** Every request but polls and heartbeats, in the order in which the server answered. */
  readonly passages: readonly Passage[];
  /** How often each fate but `pass` was met. */
  readonly fates: ReadonlyMap<string, number>;
  /** The fates from now on. */
  decide: (request: TinkerRequest) => Fate;
  end(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** Python servers close a connection that was idle for 5 s. */
const IDLE_MS = 4_000;
const TRICKLE_PIECES = 5;

/**
 * Stands between a client and a Tinker server, does to requests and replies what networks and gateways do, and writes down
 * what reached the server and what the server said to it.
 */
export async function startStormProxy(options: StormProxyOptions): Promise<StormProxy> {
  const sockets = new Set<Socket>();
  const passages: Passage[] = [];
  const fates = new Map<string, number>();
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' });
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    // What fails here is a connection, and the client is told by its end.
    serve(incoming, response).catch(() => response.destroy());
  });
  const proxy: { decide: StormProxyOptions['decide'] } = { decide: options.decide };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const isProtobuf = incoming.headers['content-type']?.includes('protobuf') === true;
    const request = readTinkerRequest(incoming.url ?? '', body, isProtobuf);
    const fate = proxy.decide(request);
    if (fate.kind !== 'pass') fates.set(nameFate(fate), (fates.get(nameFate(fate)) ?? 0) + 1);
    const reached = !('when' in fate && fate.when === 'before');
    const forwarded = { agent, port: options.port, incoming, body };
    // A server that went away may have had the request all the same.
    const answer = reached ? await forward(forwarded).catch(() => undefined) : undefined;
    if (request.key !== undefined) {
      const requestId = answer === undefined ? undefined : readRequestId(answer.bytes);
      passages.push({ ...request, fate: nameFate(fate), reached, status: answer?.status, requestId });
    }
    if (reached && answer === undefined) response.socket?.resetAndDestroy();
    else await carryOut({ fate, answer, response });
  }

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passages,
    fates,
    async end() {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function carryOut(options: { fate: Fate; answer: Answer | undefined; response: ServerResponse }): Promise<void> {
  const { fate, answer, response } = options;
  switch (fate.kind) {
    case 'cut':
      response.socket?.resetAndDestroy();
      return;
    case 'silence':
      return;
    case 'status':
      response.writeHead(fate.status, { 'content-type': 'text/plain', ...fate.headers });
      response.end('from a gateway');
      return;
    case 'strike':
      fate.strike();
      if (fate.when === 'passed') send(response, answer);
      else response.socket?.resetAndDestroy();
      return;
    case 'truncate':
    case 'stall':
      sendHead(response, answer);
      response.write(answer?.bytes.subarray(0, answer.bytes.byteLength / 2));
      if (fate.kind === 'stall') return;
      // The half goes out first.
      await sleep(5);
      response.socket?.resetAndDestroy();
      return;
    case 'trickle':
      await trickle(response, answer, fate.ms);
      return;
    case 'pass':
      send(response, answer);
  }
}

async function trickle(response: ServerResponse, answer: Answer | undefined, ms: number): Promise<void> {
  sendHead(response, answer);
  const bytes = answer?.bytes ?? Buffer.alloc(0);
  const size = Math.ceil(bytes.byteLength / TRICKLE_PIECES);
  for (let at = 0; at < bytes.byteLength; at += size) {
    await sleep(ms / TRICKLE_PIECES);
    response.write(bytes.subarray(at, at + size));
  }
  response.end();
}

function sendHead(response: ServerResponse, answer: Answer | undefined): void {
  const headers = { ...answer?.headers };
  delete headers['transfer-encoding'];
  delete headers['connection'];
  response.writeHead(answer?.status ?? 502, { ...headers, 'content-length': answer?.bytes.byteLength ?? 0 });
}

function send(response: ServerResponse, answer: Answer | undefined): void {
  sendHead(response, answer);
  response.end(answer?.bytes);
}

function forward(options: { agent: Agent; port: number; incoming: IncomingMessage; body: Buffer }): Promise<Answer> {
  const { agent, port, incoming, body } = options;
  return new Promise((resolve, reject) => {
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    const call = requestHttp(
      { agent, host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers },
      (reply) => {
        readAll(reply).then(
          (bytes) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes }),
          reject,
        );
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function readRequestId(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return /"request_id"\s*:\s*"?(?<id>[^",}]+)/.exec(text)?.groups?.['id'];
}
