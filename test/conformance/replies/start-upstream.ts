import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ReplyCase } from './make-replies.ts';

export interface Upstream extends AsyncDisposable {
  /** With its `/v1`. */
  readonly url: string;
}

/** Answers each request with the case that its model names, byte for byte. */
export async function startUpstream(cases: readonly ReplyCase[]): Promise<Upstream> {
  const byName = new Map(cases.map((one) => [one.name, one]));
  const server = createServer((request, response) => {
    void (async () => {
      const { model } = (await json(request)) as { model: string };
      const { status, isStream, pieces, end } = byName.get(model)!;
      const isEvents = isStream && status === 200;
      response.writeHead(status, { 'content-type': isEvents ? 'text/event-stream' : 'application/json' });
      for (const piece of pieces) {
        response.write(piece);
        if (isEvents) await nextTurn();
      }
      if (end === 'close') response.end();
      // What was written has to be out before the connection is cut.
      else response.write('', () => setTimeout(() => response.destroy(), 5));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
