import { setTimeout as sleep } from 'node:timers/promises';

import { startServer } from '../../../peers/atropos/start-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { frameExactly } from '../cases/frame-request.ts';
import { makeGzipBomb } from '../make-gzip-bomb.ts';
import { readPeakMegabytes, resetPeak } from '../read-memory.ts';
import { Lane } from '../wire/lane.ts';
import { FUZZ_ENVIRONMENT } from './settings.ts';

const MAX_MS = 1_000;
const MAX_GROWTH_MB = 80;
const WIRE_KB = [64, 1_024];

/** A route for large bodies, one for lists of them, and one for small ones, which inflates elsewhere. */
const ROUTES = ['/scored_data', '/scored_data_list', '/register'];

export const gzipBombScenario: Scenario = {
  name: 'gzip-bomb',
  title: 'a 1,000:1 gzip bomb is refused before it has inflated',
  async run(context) {
    const server = await startServer({ env: FUZZ_ENVIRONMENT });
    context.defer(async () => {
      await server[Symbol.asyncDispose]();
    });
    const lane = new Lane(server.port);
    context.defer(() => lane.close());
    const childPid = server.childPid();
    for (const wireKilobytes of WIRE_KB) {
      const bomb = makeGzipBomb(wireKilobytes);
      for (const route of ROUTES) {
        // The workers start with the first body; their memory is not the bomb's.
        await lane.send(makePush(route, Buffer.from('{}'), 'identity'));
        await sleep(200);
        resetPeak(childPid);
        const before = readPeakMegabytes(childPid);
        const { replies, elapsedMs } = await lane.send(makePush(route, bomb, 'gzip'));
        const growth = readPeakMegabytes(childPid) - before;
        const status = replies[0]?.status ?? Number.NaN;
        const isRefused = status >= 400 && status < 500 && growth <= MAX_GROWTH_MB;
        context.report({
          name: `gzip bomb ${route}`,
          figure: `${(bomb.length / 1024).toFixed(0)} kB for ${wireKilobytes} MB refused with ${status} in ${elapsedMs.toFixed(0)} ms, RSS peak +${growth.toFixed(0)} MB`,
          bar: `4xx, ≤ ${MAX_MS} ms, ≤ ${MAX_GROWTH_MB} MB`,
          ok: isRefused && elapsedMs <= MAX_MS,
          onlyByClock: isRefused,
        });
      }
    }
    if (server.childPid() !== childPid) throw new Error('the serving process died of a bomb');
  },
};

function makePush(path: string, body: Buffer, encoding: string): Parameters<Lane['send']>[0] {
  const headers: [string, string][] = [
    ['host', '127.0.0.1'],
    ['content-type', 'application/json'],
    ['content-encoding', encoding],
  ];
  return { route: `POST ${path}`, run: '', ...frameExactly({ method: 'POST', path, headers, body }) };
}
