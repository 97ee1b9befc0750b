import type { Clock, LeasedBatch } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
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
      nack: () => Promise.reject(new Error('nothing to give back')),
    },
    ledger: { ofBatch: async () => [], lastStep: async () => 0, open: async () => undefined } as unknown as StepLedger,
    convert: () => ({}) as ReturnType<BatchSourceOptions['convert']>,
    ...{ consumer: 'test', leaseSeconds, clock, log: pino({ level: 'silent' }), onWaiting: () => undefined },
  };
  return { source: createBatchSource(options), options, rests, renewals, asked };
}

test.each([
  ['what the trajectory API is set to', undefined, 3_000],
  ['what it is told', 30, 10_000],
])('holds a batch for %s and renews at a third of it', async (_what, leaseSeconds, third) => {
  const { source, rests, renewals, asked } = kit(leaseSeconds);
  await source.next(new AbortController().signal);
  await expect.poll(() => rests).toEqual([third, third, third]);
  expect([asked, renewals]).toEqual([[leaseSeconds], [leaseSeconds, leaseSeconds]]);
  await source.close();
});

test('renews a batch of the process before at a third of what the renewal came to', async () => {
  const { source, rests } = kit(undefined);
  source.resume([{ step: 1, batchId: 'b', epoch: 1, groupCount: 0 } as Parameters<typeof source.resume>[0][number]]);
  await source.next(new AbortController().signal);
  await expect.poll(() => rests[0]).toBe(2_000);
  await source.close();
});

/** A run of one step whose batch was leased by a process that died, and comes back when `returnsAt` requests have found nothing. */
function heldByTheDead(returnsAt: number) {
  const { options } = kit(undefined);
  const asked: unknown[] = [];
  const states: unknown[] = [];
  const ledger = {
    ofBatch: async () => [{ step: 1, batchId: 'b', state: 'stepped', policyVersion: 1 }],
    advance: async (_step: number, { state, epoch }: { state: string; epoch?: number }) =>
      void states.push([state, epoch]),
  };
  const source = createBatchSource({
    ...options,
    ledger: ledger as unknown as StepLedger,
    client: {
      ...options.client,
      leaseBatch: async (given) => {
        asked.push(given?.waitSeconds);
        return asked.length > returnsAt ? { ...BATCH, epoch: 7 } : null;
      },
      ack: async () => ({ batch_id: 'b', epoch: 1, status: 'trained', replayed: false }),
    },
  });
  source.noteUnsettled('b');
  return { source, asked, states };
}

test('a batch that is taken again fills the number of one that is not', async () => {
  const { options } = kit(undefined);
  const written: unknown[] = [];
  const ledger = {
    advance: async (step: number, { state }: { state: string }) => void written.push([state, step]),
    open: async ({ step, batchId }: { step: number; batchId: string }) => void written.push(['open', step, batchId]),
  };
  const source = createBatchSource({
    ...options,
    ledger: ledger as unknown as StepLedger,
    client: {
      ...options.client,
      renew: async (batch, given) => {
        if (batch.batch_id !== 'third') return await options.client.renew(batch, given);
        throw new ClientError({
          code: 'http',
          call: 'POST /renew',
          reason: 'it is not held',
          status: 409,
          retryable: false,
        });
      },
    },
  });
  const rows = [3, 4, 5].map((step) => ({
    step,
    batchId: ['third', 'fourth', 'fifth'][step - 3],
    epoch: 1,
    groupCount: 0,
  }));
  source.resume(rows as unknown as Parameters<typeof source.resume>[0]);
  const signal = new AbortController().signal;
  const taken = [await source.next(signal), await source.next(signal)];
  expect(taken.map(({ step, batch }) => [step, batch.batch_id])).toEqual([
    [3, 'fourth'],
    [4, 'fifth'],
  ]);
  expect(written).toEqual([
    ['returned', 3],
    ...[
      ['returned', 4],
      ['open', 3, 'fourth'],
    ],
    ...[
      ['returned', 5],
      ['open', 4, 'fifth'],
    ],
  ]);
  await source.close();
});

test('waits for a trained batch that a dead process had leased anew, and not for ever', async () => {
  const quiet = new AbortController().signal;
  const back = heldByTheDead(2);
  await back.source.settleReturned({ cancelled: quiet, stopping: quiet });
  // Under the epoch that it is acknowledged under: whoever goes on after a kill can only repeat that.
  expect([back.asked, back.states]).toEqual([
    [2, 2, 2],
    [
      ['stepped', 7],
      ['done', undefined],
    ],
  ]);

  const gone = heldByTheDead(Number.POSITIVE_INFINITY);
  await gone.source.settleReturned({ cancelled: quiet, stopping: quiet });
  expect([gone.asked, gone.states]).toEqual([[2, 2, 2, 0], []]);
});

test('a stop asks once for a trained batch that is to be settled, and waits for none', async () => {
  const held = heldByTheDead(1);
  await held.source.settleReturned({ cancelled: new AbortController().signal, stopping: AbortSignal.abort() });
  expect(held.asked).toEqual([0]);
});

/** A server whose lease reply is under way until it is let through. */
function replyInFlight(sleep?: Clock['sleep']) {
  const { options } = kit(undefined);
  const { promise: arrived, resolve: letThrough } = Promise.withResolvers<LeasedBatch | null>();
  const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
  const givenBack: string[] = [];
  const source = createBatchSource({
    ...options,
    clock: { now: () => 0, sleep: sleep ?? (() => new Promise(() => undefined)) },
    client: {
      ...options.client,
      leaseBatch: (given) =>
        new Promise((resolve, reject) => {
          given?.signal?.addEventListener('abort', () => reject(new Error('cut off')));
          void arrived.then(resolve);
          noteAsked();
        }),
      nack: async ({ batch_id: batchId }, { reason }) => {
        givenBack.push(`${batchId}: ${reason}`);
        return { batch_id: batchId, epoch: 1, status: 'returned', replayed: false };
      },
    },
  });
  return { source, asked, letThrough, givenBack };
}

test('gives back a batch whose lease reply is under way when it is stopped', async () => {
  const { source, asked, letThrough, givenBack } = replyInFlight();
  const stopping = new AbortController();
  const taking = source.next(stopping.signal);
  await asked;
  stopping.abort(new Error('the trainer is being stopped'));
  // At once: the trainer saves its weights while the reply is waited for.
  await expect(taking).rejects.toThrow('the trainer is being stopped');
  letThrough(BATCH);
  await source.close();
  expect(givenBack).toEqual(['b: the trainer was stopped']);
});

test('is closed when the batch that was being asked for is given back', async () => {
  const { source, asked, letThrough, givenBack } = replyInFlight();
  const stopping = new AbortController();
  source.next(stopping.signal).catch(() => undefined);
  await asked;
  stopping.abort(new Error('the trainer has ended'));
  const closing = source.close();
  letThrough(BATCH);
  await closing;
  expect(givenBack).toHaveLength(1);
});

test('does not wait for ever for the reply of a server that is away', async () => {
  const { source, asked } = replyInFlight(() => Promise.resolve());
  const stopping = new AbortController();
  source.next(stopping.signal).catch(() => undefined);
  await asked;
  stopping.abort();
  await source.close();
});
