import type { GroupPayload } from '@lachesis/protocol/codec';
import { ClientError, type TrajectoryClient } from '@lachesis/sdk';
import type { Clock, LeasedBatch } from '@lachesis/protocol';
import type { StepLedger, StepRecord } from '@lachesis/store';
import type { Logger } from 'pino';
import { DEFAULT_BATCH_LEASE_SECONDS } from '../../../http/settings/server-settings.ts';
import type { ConvertedBatch } from './datums/convert-batch.ts';

type FetchableBatch = Parameters<TrajectoryClient['fetchBatchGroups']>[0];
type StepState = StepRecord['state'];

/** A batch that is held, read and converted: ready for the engine. */
export interface PreparedBatch {
  step: number;
  batch: FetchableBatch;
  converted: ConvertedBatch;
  waitedSeconds: number;
  convertedSeconds: number;
  /** False from the moment the server says that the lease is over. */
  isHeld(): boolean;
  /** Ends the renewals. */
  release(): void;
}

export interface BatchSourceOptions {
  client: Pick<TrajectoryClient, 'ack' | 'fetchBatchGroups' | 'leaseBatch' | 'nack' | 'renew'>;
  ledger: StepLedger;
  convert: (groups: readonly GroupPayload[]) => ConvertedBatch;
  consumer: string;
  /** What the trajectory API is set to when undefined; it says in its replies how long that is. */
  leaseSeconds: number | undefined;
  clock: Clock;
  log: Logger;
  /** Told which groups are in the batch of a step. */
  onTaken?: ((step: number, groupIds: readonly string[]) => void) | undefined;
  /** Told while there is nothing to train on. */
  onWaiting: (isWaiting: boolean) => void;
}

export interface BatchSource {
  /** Takes steps an earlier process had leased; the next batches are theirs, if their leases still run. */
  resume(steps: readonly StepRecord[]): void;
  /** The next batch. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<PreparedBatch>;
  /** Notes a batch that is in the weights and whose lease ended before it was acknowledged. */
  noteUnsettled(batchId: string): void;
  /** Leases those batches anew and acknowledges them: after the last step nobody else would. A stop does not wait for one. */
  settleReturned(signals: { cancelled: AbortSignal; stopping: AbortSignal }): Promise<void>;
  /** Ends all renewals. Resolves when no batch is being asked for any more. */
  close(): Promise<void>;
}

/** A batch under lease, and how long it stays so without a renewal. */
interface TakenBatch {
  step: number;
  batch: FetchableBatch;
  seconds: number;
}

/** A stop waits for the reply of a request that is under way, so none may take long. */
const WAIT_SECONDS = 2;
/** After so long without a reply the server is taken to be away. A trainer has 6 s from a stop to its end. */
const STOP_WAIT_MS = WAIT_SECONDS * 1000 + 1_000;
const GIVE_BACK_MS = 2_000;
const MOST_SETTLE_WAITS = 3;
/** States in which a step is over for its batch: handing it out again must not train on it again. */
const TAKEN: readonly StepState[] = ['stepped', 'saved', 'done', 'empty'];

export function createBatchSource(options: BatchSourceOptions): BatchSource {
  const { client, ledger, convert, consumer, leaseSeconds, clock, log } = options;
  const retaken: StepRecord[] = [];
  /** The lowest number of those whose batches could not be taken again. */
  let gap: number | undefined;
  const unsettled = new Set<string>();
  const asking = new Set<Promise<unknown>>();
  const closed = new AbortController();

  /** Renews at a third of the lease until it is released or the server says that it is over. */
  function hold({ batch, seconds }: TakenBatch): Pick<PreparedBatch, 'isHeld' | 'release'> {
    const end = new AbortController();
    const until = AbortSignal.any([closed.signal, end.signal]);
    let isHeld = true;
    const renew = async (): Promise<void> => {
      while (!until.aborted) {
        await clock.sleep((seconds * 1000) / 3, until);
        if (until.aborted) return;
        try {
          await client.renew(batch, { leaseSeconds, signal: until });
        } catch (error) {
          if (until.aborted) return;
          isHeld = !isOver(error);
          log.warn({ err: error, batch: batch.batch_id }, isHeld ? 'a lease could not be renewed' : 'a lease is over');
          if (!isHeld) return;
        }
      }
    };
    // It ends with its signal and handles every error itself.
    void renew();
    return { isHeld: () => isHeld, release: () => end.abort() };
  }

  async function retake(signal: AbortSignal): Promise<TakenBatch | undefined> {
    for (let row = retaken.shift(); row !== undefined; row = retaken.shift()) {
      const batch = { batch_id: row.batchId, epoch: row.epoch, groups: { length: row.groupCount } };
      try {
        const renewed = await client.renew(batch, { leaseSeconds, signal });
        const seconds = renewed.lease_seconds ?? leaseSeconds ?? DEFAULT_BATCH_LEASE_SECONDS;
        return { step: await closeGap(row), batch, seconds };
      } catch (error) {
        signal.throwIfAborted();
        if (!ClientError.isInstance(error) || error.retryable) throw error;
        await ledger.advance(row.step, { state: 'returned', reason: 'its lease ended while no trainer ran' });
        gap ??= row.step;
      }
    }
    return undefined;
  }

  /** A number below this one is free, and nobody would fill it: the run would end a step short. */
  async function closeGap({ step, batchId, epoch, groupCount }: StepRecord): Promise<number> {
    if (gap === undefined) return step;
    const free = gap;
    gap += 1;
    // If we die between these lines the lease runs out, and the batch goes to the next trainer.
    await ledger.advance(step, { state: 'returned', reason: `its batch makes step ${free}` });
    await ledger.open({ step: free, batchId, epoch, groupCount });
    return free;
  }

  /** A stop does not cut the request off: the server may have leased a batch, and only the reply says which. */
  async function askForBatch(signal: AbortSignal): Promise<LeasedBatch | null> {
    const answered = new AbortController();
    const given = new AbortController();
    const onStop = (): void =>
      void clock.sleep(STOP_WAIT_MS, answered.signal).then(() => given.abort(signal.reason as Error));
    signal.addEventListener('abort', onStop, { once: true });
    try {
      return await client.leaseBatch({ waitSeconds: WAIT_SECONDS, leaseSeconds, consumer, signal: given.signal });
    } finally {
      answered.abort();
      signal.removeEventListener('abort', onStop);
    }
  }

  async function giveBack(batch: LeasedBatch, reason: string): Promise<void> {
    try {
      await client.nack(batch, { reason }, { retryForMs: 0, signal: AbortSignal.timeout(GIVE_BACK_MS) });
    } catch (error) {
      log.warn(
        { err: error, batch: batch.batch_id },
        'a batch could not be given back; it is free when its lease ends',
      );
    }
  }

  /** The step that a batch has been made into. */
  const findTaken = async ({ batch_id: batchId }: LeasedBatch): Promise<StepRecord | undefined> =>
    (await ledger.ofBatch(batchId)).find(({ state }) => TAKEN.includes(state));

  async function acknowledge(batch: LeasedBatch, known: StepRecord, signal: AbortSignal): Promise<void> {
    log.info({ batch: batch.batch_id, step: known.step }, 'a batch came back that the weights already hold');
    const isEnded = known.state === 'done' || known.state === 'empty';
    // If we die after the acknowledgement: the next process repeats it, which is only possible under this epoch.
    if (!isEnded) await ledger.advance(known.step, { state: known.state, epoch: batch.epoch });
    await client.ack(batch, toAck(known), { signal });
    unsettled.delete(batch.batch_id);
    if (!isEnded) await ledger.advance(known.step, { state: 'done' });
  }

  async function lease(signal: AbortSignal): Promise<TakenBatch> {
    for (;;) {
      signal.throwIfAborted();
      const batch = await askForBatch(signal);
      if (batch === null) {
        options.onWaiting(true);
        continue;
      }
      if (signal.aborted) {
        await giveBack(batch, 'the trainer was stopped');
        continue;
      }
      options.onWaiting(false);
      const known = await findTaken(batch);
      if (known === undefined) {
        const step = (await ledger.lastStep()) + 1;
        // If we die before this line the lease runs out, and the batch goes to the next trainer.
        await ledger.open({ step, batchId: batch.batch_id, epoch: batch.epoch, groupCount: batch.groups.length });
        return { step, batch, seconds: batch.lease_seconds };
      }
      await acknowledge(batch, known, signal);
    }
  }

  async function settleReturned({ cancelled: signal, stopping }: { cancelled: AbortSignal; stopping: AbortSignal }) {
    try {
      let waits = 0;
      while (unsettled.size > 0 && !signal.aborted) {
        const mayWait = waits < MOST_SETTLE_WAITS && !stopping.aborted;
        const waitSeconds = mayWait ? WAIT_SECONDS : 0;
        const batch = await client.leaseBatch({ waitSeconds, leaseSeconds, consumer, signal, retryForMs: 0 });
        if (batch === null && !mayWait) return;
        waits += 1;
        // The request of a process that died may have leased it, for as long as that asked for.
        if (batch === null) continue;
        const known = await findTaken(batch);
        if (known === undefined) {
          // One that came back is handed out before others: ours has been settled elsewhere.
          await giveBack(batch, 'the run has made its last step');
          return;
        }
        await acknowledge(batch, known, signal);
      }
    } catch (error) {
      // The steps are in the weights whatever the server says.
      log.warn({ err: error, batches: [...unsettled] }, 'batches that were trained on could not be acknowledged');
    }
  }

  async function next(signal: AbortSignal): Promise<PreparedBatch> {
    const asked = clock.now();
    for (;;) {
      const taken = (await retake(signal)) ?? (await lease(signal));
      const { step, batch } = taken;
      const held = hold(taken);
      try {
        const groups = await client.fetchBatchGroups(batch, { signal });
        const fetched = clock.now();
        options.onTaken?.(
          step,
          groups.flatMap(({ header }) => header.group_id ?? []),
        );
        const converted = convert(groups);
        const convertedSeconds = (clock.now() - fetched) / 1000;
        return { step, batch, converted, waitedSeconds: (fetched - asked) / 1000, convertedSeconds, ...held };
      } catch (error) {
        held.release();
        signal.throwIfAborted();
        if (!ClientError.isInstance(error) || error.retryable) throw error;
        // Its lease is over, or payloads of it cannot be read; the server has put the healthy groups back.
        log.warn({ err: error, batch: batch.batch_id }, 'a batch could not be read');
        await ledger.advance(step, { state: 'returned', reason: error.code });
      }
    }
  }

  return {
    resume: (steps) => void retaken.push(...steps),
    next: (signal) => {
      const taking = next(signal);
      asking.add(taking);
      const forget = (): void => void asking.delete(taking);
      taking.then(forget, forget);
      return untilStopped(taking, signal);
    },
    noteUnsettled: (batchId) => void unsettled.add(batchId),
    settleReturned,
    close: async () => {
      closed.abort();
      await Promise.allSettled(asking);
    },
  };
}

/** A stop is not waited for: the weights are saved first, and `close` sees to what is still under way. */
async function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What the trajectory API is told about a step that was made of a batch. */
export function toAck({ step, policyVersion }: Pick<StepRecord, 'policyVersion' | 'step'>): {
  step: number;
  policy_version?: number;
} {
  return { step, ...(policyVersion === null ? {} : { policy_version: policyVersion }) };
}

const isOver = (error: unknown): boolean => ClientError.isInstance(error) && !error.retryable;
