import { setTimeout as sleep } from 'node:timers/promises';

import { createTinkerClient } from '@lachesis/tinker';

import { askServer } from '../server/ask-server.ts';
import type { BlockOptions } from './block-options.ts';
import { reportResult } from './report-result.ts';

const HEARTBEAT_MS = 10_000;

const { url, blockMs, heartbeat } = JSON.parse(process.argv[2] ?? '{}') as BlockOptions;

const service = await createTinkerClient({
  baseUrl: url,
  apiKey: 'tml-bench',
  env: {},
  ...(heartbeat === 'client' ? {} : { heartbeatMs: false }),
}).connect();
if (heartbeat === 'main-thread') beatOnMainThread();
while ((await askServer(url, 'recording')).heartbeats.length === 0) await sleep(50);

block();
// Time for a beat that the block has held back.
await sleep(1_000);
const { heartbeats } = await askServer(url, 'recording');
reportResult(heartbeats);
await service.close();
process.exit(0);

/** What a client without a thread of its own would do. */
function beatOnMainThread(): void {
  const beat = (): void => {
    const body = JSON.stringify({ session_id: service.sessionId });
    // A beat that is lost shows as a gap.
    void fetch(`${url}/api/v1/session_heartbeat`, { method: 'POST', body }).catch(() => undefined);
  };
  setInterval(beat, HEARTBEAT_MS).unref();
  beat();
}

/** User code that computes; the seeded fault sleeps, so that two of them leave a core to the rest. */
function block(): void {
  if (heartbeat === 'main-thread') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
    return;
  }
  for (const until = performance.now() + blockMs; performance.now() < until;);
}
