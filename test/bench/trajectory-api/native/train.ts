import { decodeFrames } from '@lachesis/protocol';
import { setTimeout as sleep } from 'node:timers/promises';

import type { NativeClient } from './native-client.ts';

/** A lease that takes longer than this while a batch is ready has starved the trainer. */
const PATIENCE_MS = 1000;
const WATCH_EVERY_MS = 250;
const WAIT_SECONDS = 5;

export interface TrainRecord {
  trained: number;
  batches: number;
  starved: number;
  longestWaitMs: number;
  readonly fetchMs: number[];
  readonly failures: string[];
}

/**
 * A trainer that is never the bottleneck: it leases, fetches the groups, acknowledges and asks again, until `isOver` and
 * nothing more comes. A watcher asks the ledger beside it whether it waits although there is something to train on.
 */
export async function train(options: {
  client: NativeClient;
  groupsPerBatch: number;
  isOver: () => boolean;
}): Promise<TrainRecord> {
  const { client, groupsPerBatch, isOver } = options;
  const record: TrainRecord = { trained: 0, batches: 0, starved: 0, longestWaitMs: 0, fetchMs: [], failures: [] };
  const state: { waitingSince: number | undefined; isDone: boolean } = { waitingSince: undefined, isDone: false };
  const watching = watchForStarvation({ client, groupsPerBatch, record, state });
  while (!state.isDone) {
    try {
      state.waitingSince = performance.now();
      const batch = await client.lease({ waitSeconds: isOver() ? 0 : WAIT_SECONDS, leaseSeconds: 60 });
      record.longestWaitMs = Math.max(record.longestWaitMs, performance.now() - state.waitingSince);
      state.waitingSince = undefined;
      if (batch === null) {
        state.isDone = isOver();
        continue;
      }
      const reply = await client.fetchGroups(batch);
      record.fetchMs.push(reply.milliseconds);
      const frames = decodeFrames(reply.body);
      if (frames.length !== batch.groups.length) {
        throw new Error(`a batch of ${batch.groups.length} groups came with ${frames.length}`);
      }
      await client.acknowledge(batch);
      record.trained += frames.length;
      record.batches += 1;
    } catch (error) {
      record.failures.push(error instanceof Error ? error.message : String(error));
      state.isDone = isOver();
      await sleep(100);
    }
  }
  await watching;
  return record;
}

async function watchForStarvation(options: {
  client: NativeClient;
  groupsPerBatch: number;
  record: TrainRecord;
  state: { waitingSince: number | undefined; isDone: boolean };
}): Promise<void> {
  const { client, groupsPerBatch, record, state } = options;
  let counted: number | undefined;
  while (!state.isDone) {
    await sleep(WATCH_EVERY_MS);
    const since = state.waitingSince;
    if (since === undefined || since === counted || performance.now() - since < PATIENCE_MS) continue;
    try {
      const { pending, formed } = await client.readLedger();
      // Still the same wait after the ledger has answered: what it counted was there while the trainer was not served.
      if (pending + formed >= groupsPerBatch && state.waitingSince === since) {
        counted = since;
        record.starved += 1;
      }
    } catch (error) {
      record.failures.push(error instanceof Error ? error.message : String(error));
    }
  }
}
