import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The way from an application to its control server: records can be held up on it, and ratings sent astray. */
export interface SlowRoad {
  readonly url: string;
  /** Ids of turns that were rated, in order. */
  readonly rated: readonly string[];
  /** Records stay on the road until `letGo`. */
  hold(): void;
  letGo(): void;
  /** The seeded fault: a rating is written for another turn than the one that was clicked. */
  mislead(turn: string | undefined): void;
  close(): Promise<void>;
}

export async function startSlowRoad(target: string): Promise<SlowRoad> {
  const rated: string[] = [];
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let wrongTurn: string | undefined;

  const carry = async (request: IncomingMessage): Promise<Response> => {
    let body: Buffer | string = await buffer(request);
    if (request.url === '/v1/records') await gate.promise;
    if (request.url === '/v1/feedback' && request.method === 'POST') {
      const said = JSON.parse(String(body)) as { turn_id: string };
      rated.push(said.turn_id);
      if (wrongTurn !== undefined) body = JSON.stringify({ ...said, turn_id: wrongTurn });
    }
    const { authorization, 'content-type': type = 'application/json' } = request.headers;
    return fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) },
      ...(request.method === 'GET' ? {} : { body }),
    });
  };

  const server = createServer((request, response) => {
    void carry(request)
      .then(async (reply) => {
        response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'application/json' });
        response.end(Buffer.from(await reply.arrayBuffer()));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rated,
    hold: () => void (gate = Promise.withResolvers<void>()),
    letGo: () => gate.resolve(),
    mislead: (turn) => void (wrongTurn = turn),
    async close() {
      gate.resolve();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
