import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ForgivingProxy {
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * The server as it would be without two of its rules: nobody is asked where a call comes from (the headers that say so are left
 * out), and a code that was traded once is traded again.
 */
export async function startForgivingProxy(target: string): Promise<ForgivingProxy> {
  const traded = new Map<string, Answer>();
  const server = createServer((incoming, outgoing) => {
    const { authorization = '' } = incoming.headers;
    const isTrade = incoming.method === 'POST' && incoming.url === '/v1/session';
    const before = isTrade ? traded.get(authorization) : undefined;
    void (before === undefined ? forward(target, incoming, authorization) : Promise.resolve(before)).then((answer) => {
      if (isTrade && answer.status === 200) traded.set(authorization, answer);
      outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function forward(target: string, incoming: IncomingMessage, authorization: string): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const asked = request(`${target}${incoming.url}`, { method: incoming.method ?? 'GET', headers: { authorization } });
    asked.on('response', (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => void pieces.push(piece));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(pieces) }));
    });
    asked.on('error', reject);
    incoming.pipe(asked);
  });
}
