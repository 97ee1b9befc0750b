import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createApiBench } from '../bench.fixture.ts';

const BODY = JSON.stringify({ tokens: [[1, 2]], masks: [[1, 2]], scores: [1], env_id: 0 });
const HEAD = ['POST /scored_data HTTP/1.1', 'host: localhost', 'content-type: application/json'];
const REQUEST = `${[...HEAD, `content-length: ${BODY.length}`].join('\r\n')}\r\n\r\n${BODY}`;

test('a sender whose payload waits for the disk hangs up and sends again, and is decided in the other order: one group', async () => {
  const held = Promise.withResolvers<void>();
  let ingested = 0;
  let kept = 0;
  await using bench = await createApiBench({}, undefined, {
    pool: (real) => ({
      ...real,
      async ingest(request) {
        ingested += 1;
        const isFirst = ingested === 1;
        const result = await real.ingest(request);
        if (isFirst) await held.promise;
        kept += 1;
        return result;
      },
    }),
  });
  await bench.api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = bench.api.app.server.address() as AddressInfo;
  const first = connect({ host: '127.0.0.1', port });
  first.on('error', () => undefined);
  first.write(REQUEST);
  await vi.waitFor(() => expect(ingested).toBe(1));
  first.resetAndDestroy();

  const second = connect({ host: '127.0.0.1', port });
  second.write(REQUEST);
  const [reply] = (await once(second, 'data')) as [Buffer];
  expect(reply.toString()).toContain('HTTP/1.1 200');
  second.destroy();
  held.resolve();
  await vi.waitFor(() => expect(kept).toBe(2));
  // What it asks for is decided behind it.
  const ledger = await bench.api.app.inject({ method: 'GET', url: '/v1/ledger', headers: { host: 'localhost' } });
  expect(ledger.json()).toMatchObject({ produced: 1 });
});
