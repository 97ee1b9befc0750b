import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody outside saw of one call. */
export interface SeenCall {
  readonly call: string;
  readonly headers: IncomingHttpHeaders;
}

/** A server of somebody else, who writes down every header that is sent there. */
export interface Canary extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenCall[];
}

/** What it answers: JSON made from the body it got, or what a real server behind it says. */
export type CanaryAnswer = { readonly make: (body: string) => unknown } | { readonly forwardTo: string };

export async function startCanary(answer: CanaryAnswer): Promise<Canary> {
  const seen: SeenCall[] = [];
  const server = createServer((incoming, reply) => {
    seen.push({ call: `${incoming.method} ${incoming.url}`, headers: incoming.headers });
    if ('forwardTo' in answer) forward(answer.forwardTo, incoming, reply);
    else void makeReply(answer.make, incoming, reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function makeReply(
  make: (body: string) => unknown,
  incoming: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  let body = '';
  for await (const part of incoming.setEncoding('utf8')) body += String(part);
  reply.setHeader('content-type', 'application/json').end(JSON.stringify(await make(body)));
}

/** Byte for byte, both ways. */
function forward(to: string, incoming: IncomingMessage, reply: ServerResponse): void {
  const { hostname, port } = new URL(to);
  const outgoing = request({
    ...{ hostname, port, path: incoming.url, method: incoming.method },
    headers: { ...incoming.headers, host: `${hostname}:${port}` },
  });
  outgoing.on('response', (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
  });
  // Whoever waits for the answer is told by the connection that there is none.
  outgoing.on('error', () => reply.destroy());
  reply.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
