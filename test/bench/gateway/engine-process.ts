import { FakeServer } from '../../../packages/tinker/src/testing/fake-server.fixture.ts';

/* A Tinker server whose samples take LACHESIS_DELAY_MS. Prints its address as one JSON line. */

const delayMs = Number(process.env['LACHESIS_DELAY_MS'] ?? 50);
const engine = await FakeServer.start({
  jobMs: (operation) => (operation === 'asample' ? delayMs : 0),
  longPollMs: 20_000,
});
process.stdout.write(`${JSON.stringify({ url: engine.url })}\n`);
