import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubbornServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Stands before an engine and sets every learning rate to 0: all calls succeed and nothing is ever learnt. */
export async function startStubbornServer({ engineUrl }: { engineUrl: string }): Promise<StubbornServer> {
  const server = createServer((request, response) => {
    forward(engineUrl, request).then(
      async (reply) => {
        response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
        response.end(new Uint8Array(await reply.arrayBuffer()));
      },
      // Its client asks again, as after any broken connection.
      (error: Error) => response.destroy(error),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function forward(engineUrl: string, request: IncomingMessage): Promise<Response> {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const isStep = request.url?.endsWith('/optim_step') === true;
  return fetch(`${engineUrl}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers: { 'content-type': request.headers['content-type'] ?? '', accept: request.headers.accept ?? '*/*' },
    ...(body.length === 0 ? {} : { body: isStep ? forgetRate(body) : body }),
  });
}

function forgetRate(body: Buffer): string {
  const step = JSON.parse(body.toString()) as { adam_params: Record<string, number> };
  return JSON.stringify({ ...step, adam_params: { ...step.adam_params, learning_rate: 0 } });
}
