import type { Clock, LeasedBatch } from '@lachesis/protocol';
import type { StepLedger } from '@lachesis/store';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createBatchSource, type BatchSourceOptions } from './batch-source.ts';

const BATCH: LeasedBatch = { batch_id: 'b', epoch: 1, attempt: 1, lease_seconds: 9, step: 0, groups: [] };

/** A source whose sleeps end at once, until `rests` of them have been noted. */
function kit(leaseSeconds: number | undefined) {
  const rests: number[] = [];
  const renewals: unknown[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => {
      rests.push(ms);
      if (rests.length < 3) return Promise.resolve();
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  const asked: unknown[] = [];
  const options: BatchSourceOptions = {
    client: {
      leaseBatch: async (given) => {
        asked.push(given?.leaseSeconds);
        return { ...BATCH, lease_seconds: given?.leaseSeconds ?? BATCH.lease_seconds };
      },
      renew: async (_batch, given) => {
        renewals.push(given?.leaseSeconds);
        const seconds = given?.leaseSeconds ?? 6;
        return { batch_id: 'b', epoch: 1, status: 'leased', replayed: false, lease_seconds: seconds };
      },
      fetchBatchGroups: async () => [],
      ack: () => Promise.reject(new Error('nothing to acknowledge')),
    },
    ledger: { ofBatch: async () => [], lastStep: async () => 0, open: async () => undefined } as unknown as StepLedger,
    convert: () => ({}) as ReturnType<BatchSourceOptions['convert']>,
    ...{ consumer: 'test', leaseSeconds, clock, log: pino({ level: 'silent' }), onWaiting: () => undefined },
  };
  return { source: createBatchSource(options), rests, renewals, asked };
}

test.each([
  ['what the trajectory API is set to', undefined, 3_000],
  ['what it is told', 30, 10_000],
])('holds a batch for %s and renews at a third of it', async (_what, leaseSeconds, third) => {
  const { source, rests, renewals, asked } = kit(leaseSeconds);
  await source.next(new AbortController().signal);
  await expect.poll(() => rests).toEqual([third, third, third]);
  expect([asked, renewals]).toEqual([[leaseSeconds], [leaseSeconds, leaseSeconds]]);
  source.close();
});

test('renews a batch of the process before at a third of what the renewal came to', async () => {
  const { source, rests } = kit(undefined);
  source.resume([{ step: 1, batchId: 'b', epoch: 1, groupCount: 0 } as Parameters<typeof source.resume>[0][number]]);
  await source.next(new AbortController().signal);
  await expect.poll(() => rests[0]).toBe(2_000);
  source.close();
});
