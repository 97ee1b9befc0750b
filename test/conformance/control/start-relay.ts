import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RelayedReply {
  status: number;
  body: string;
}

export interface RelayOptions {
  /** Where calls go. */
  readonly url: string;
  /** Changes a reply on its way back; `call` is such as `POST /runs`. */
  readonly change: (call: string, reply: RelayedReply) => RelayedReply;
}

/** A faulty control server, made of a right one: passes calls on and changes what comes back. */
export async function startRelay({ url, change }: RelayOptions): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const reply = await fetch(`${url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      const path = new URL(request.url ?? '/', url).pathname;
      const changed = change(`${request.method} ${path}`, { status: reply.status, body: await reply.text() });
      response.writeHead(changed.status, { 'content-type': 'application/json' }).end(changed.body);
    };
    pass().catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
