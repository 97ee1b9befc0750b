import type { Ledger } from '@lachesis/protocol';
import { setTimeout as sleep } from 'node:timers/promises';

import { GROUPS_PER_BATCH } from '../load/load-control.ts';
import type { Load } from '../load/start-load.ts';
import { readLedger } from './audit-ledger.ts';

/** Longer than the longest lease plus a restart; what has not moved for this long does not move. */
const STANDSTILL_MS = 12_000;

/**
 * Lets the producers end, then the consumers empty the run. The last groups may be too few for a batch, so some more are
 * pushed; they count like all others.
 */
export async function drain(load: Load, options: { standstillMs?: number } = {}): Promise<Ledger> {
  const { history, control } = load;
  control.zombieShare = 0;
  await load.stopProducing();
  let movedAt = performance.now();
  let seen = '';
  for (;;) {
    const ledger = await readLedger(load);
    const { pending, buffered, formed, leased, produced } = ledger;
    // One of several servers may answer from a moment ago: a ledger that does not have what clients were promised is such a one.
    const isOfNow = produced >= history.acknowledged;
    if (isOfNow && pending + buffered + formed + leased === 0) break;
    const state = JSON.stringify([ledger, history.ended]);
    if (state !== seen) movedAt = performance.now();
    seen = state;
    if (performance.now() - movedAt > (options.standstillMs ?? STANDSTILL_MS)) break;
    if (formed + leased === 0 && pending > 0 && pending < GROUPS_PER_BATCH) await load.pushOne();
    await sleep(20);
  }
  await load.stopConsuming();
  return readLedger(load);
}
