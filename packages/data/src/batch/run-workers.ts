import { type Clock, realClock, redact, type Redactor } from '@lachesis/protocol';
import { openWork, LeaseLostError, type JobRef } from '@lachesis/store';
import { z } from 'zod';
import { type BatchAgent, batchInputSchema, type BatchResult, batchTurnSchema } from './batch-agent.ts';
import { BatchError } from './batch-error.ts';
import type { BatchSettings } from './batch-settings.ts';
import type { CostMeter } from './cost-meter.ts';
import { hasReasoning } from './has-reasoning.ts';
import type { HolderNames } from './holder-name.ts';
import { createRetrier } from './create-retrier.ts';
import type { RequestGate } from './request-gate.ts';

type LeasedWork = Awaited<ReturnType<ReturnType<typeof openWork>['acquire']>>[number];

export const LEASE_SECONDS = 30;
/** Well below a lease, and often enough that a rest or the end of the money is soon known to all. */
const HEARTBEAT_MS = 2_000;
/** How often somebody without work looks whether there is some. */
const IDLE_MS = 250;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
const LONGEST_REASON = 1_000;

/** What happened to an item of a batch, for whoever shows progress. */
export type WorkEvent =
  | { kind: 'item-ended'; index: number; state: 'discarded' | 'done'; cost: number | null }
  | { kind: 'attempt-failed'; index: number; attempt: number; reason: string; isLast: boolean }
  | { kind: 'item-lost'; index: number };

export interface RunWorkersOptions {
  place: JobRef;
  settings: BatchSettings;
  agent: BatchAgent;
  /** How many items at once; 0 waits for the workers of others. */
  concurrency: number;
  names: HolderNames;
  gate: RequestGate;
  meter: CostMeter;
  /** Aborted when nothing should be begun any more: what is under way comes to the end of its turn. */
  stopping: AbortSignal;
  /** Aborted when everything has to end at once. */
  hurry: AbortSignal;
  onEvent?: (event: WorkEvent) => void;
  /** Takes secrets out of what is kept: replies, what tools gave, and why an attempt failed. Default: nothing is taken out. */
  redactor?: Redactor | undefined;
  leaseSeconds?: number;
  clock?: Clock;
  now?: () => Date;
  random?: () => number;
}

/**
 * Claims items and works on them until none is left, or somebody ends it. Resolves when nothing of this process is under
 * way; rejects with what no other item would survive either.
 */
export async function runWorkers(options: RunWorkersOptions): Promise<void> {
  const { place, settings, agent, concurrency, names, gate, meter, onEvent = () => undefined } = options;
  const { clock = realClock, now = () => new Date(), random = Math.random, leaseSeconds = LEASE_SECONDS } = options;
  const job = openWork(place);
  const patiently = createRetrier({ clock, signal: options.hurry });
  const { redactor } = options;
  const clean = <T>(value: T): T => (redactor === undefined ? value : redact(value, redactor).value);
  const lease = { holder: names.self, leaseSeconds };
  const held = new Map<number, { epoch: number; lost: AbortController }>();
  /** The store failed: everything ends. */
  const fatal = new AbortController();
  /** No item would do better: nothing is begun any more, and what was asked for already is waited for and kept. */
  const halt = new AbortController();
  const over = AbortSignal.any([options.stopping, options.hurry, fatal.signal, halt.signal]);
  const done = new AbortController();

  const queue: LeasedWork[] = [];
  let waiting = 0;
  let claiming: Promise<void> | undefined;
  const claim = async (): Promise<void> => {
    // The others of this turn of the event loop are counted too, so that one statement serves them.
    await Promise.resolve();
    const count = Math.max(1, waiting);
    queue.push(...(await patiently(() => job.acquire({ ...lease, count }))));
  };
  /** Held from here on, so that nobody finds it between the queue and the work. */
  const take = (): LeasedWork | undefined => {
    const item = queue.shift();
    if (item !== undefined) held.set(item.index, { epoch: item.epoch, lost: new AbortController() });
    return item;
  };
  /** Undefined when nothing is left to do. */
  const next = async (): Promise<LeasedWork | undefined> => {
    while (!over.aborted) {
      waiting += 1;
      try {
        const first = take();
        if (first !== undefined) return first;
        claiming ??= claim().finally(() => (claiming = undefined));
        await claiming;
      } finally {
        waiting -= 1;
      }
      const item = take();
      if (item !== undefined) return item;
      if ((await patiently(() => job.releaseGone({ isGone: names.isGone }))) > 0) continue;
      const wait = await patiently(() => job.findWait());
      if (wait === undefined) return undefined;
      await clock.sleep(Math.min(IDLE_MS, Math.max(wait, 10)), over);
    }
    return undefined;
  };

  const work = async (item: LeasedWork): Promise<void> => {
    const { lost } = held.get(item.index) ?? { lost: new AbortController() };
    try {
      await workOn(item, AbortSignal.any([options.hurry, fatal.signal, lost.signal]), lost);
    } finally {
      held.delete(item.index);
    }
  };

  const workOn = async (item: LeasedWork, signal: AbortSignal, lost: AbortController): Promise<void> => {
    const { index, attempt } = item;
    // Somebody had it before: its turns are there.
    const turns =
      item.epoch === 1 ? [] : z.array(batchTurnSchema).parse(await patiently(() => job.readTurns({ item })));
    let told = turns.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
    let turnIndex = turns.length;
    try {
      const answer = await agent.run({
        ...{ index, attempt, turns, signal, input: batchInputSchema.parse(item.input) },
        async onTurn(turn) {
          const cost = turn.cost ?? 0;
          await patiently(() => job.recordTurn({ item, turnIndex, turn: clean(turn), cost, leaseSeconds })).catch(
            (error: unknown) => {
              // What the agent makes of an error must not hide that the item is gone.
              if (LeaseLostError.isInstance(error)) lost.abort(error);
              throw error;
            },
          );
          turnIndex += 1;
          told += cost;
        },
      });
      const isKept = settings.keep_without_reasoning || answer.messages.some(isReplyWithReasoning);
      const state = isKept ? 'done' : 'discarded';
      const result: BatchResult = { ...clean(answer), model: settings.model, timestamp: now().toISOString() };
      const cost = Math.max(0, (answer.cost ?? 0) - told);
      const reason = isKept ? null : 'no reply has any reasoning';
      await patiently(() => job.finish({ item, state, reason, result, cost }));
      onEvent({ kind: 'item-ended', index, state, cost: answer.cost });
    } catch (error) {
      await giveUp(item, error, lost.signal.aborted);
    }
  };

  const giveUp = async (item: LeasedWork, error: unknown, isLost: boolean): Promise<void> => {
    const { index, attempt } = item;
    const known = BatchError.isInstance(error) ? error : undefined;
    if (isLost || LeaseLostError.isInstance(error)) {
      onEvent({ kind: 'item-lost', index });
      return;
    }
    if (known?.kind === 'stop') halt.abort(known);
    if (known?.kind === 'stop' || known?.kind === 'released' || options.hurry.aborted || fatal.signal.aborted) {
      await patiently(() => job.release({ item }));
      return;
    }
    const isLast = attempt >= settings.max_attempts;
    // Cut afterwards: half a secret is not known to be one.
    const reason = clean(error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
    const restMs = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2);
    const { isStartingOver = false, cost = 0 } = known ?? {};
    try {
      await patiently(() => job.fail({ item, reason, cost, isLast, restMs, isStartingOver }));
      onEvent({ kind: 'attempt-failed', index, attempt, reason, isLast });
    } catch (failure) {
      if (!LeaseLostError.isInstance(failure)) throw failure;
      onEvent({ kind: 'item-lost', index });
    }
  };

  const slot = async (): Promise<void> => {
    try {
      for (let item = await next(); item !== undefined; item = await next()) await work(item);
    } catch (error) {
      // The store failed: nobody can go on, and what was leased comes back by itself.
      fatal.abort(error);
    }
  };

  /** What was held at the last beat, with its epoch. */
  let known: ReadonlyMap<number, number> = new Map();
  const giveBackForgotten = async (renewed: ReadonlyMap<number, number>): Promise<void> => {
    for (const [index, epoch] of renewed) {
      if (held.has(index) || queue.some((item) => item.index === index)) continue;
      await job.release({ item: { index, holder: names.self, epoch, conversation: 0 } });
    }
  };
  const beat = async (): Promise<void> => {
    while (!done.signal.aborted) {
      await clock.sleep(HEARTBEAT_MS, done.signal);
      if (done.signal.aborted) return;
      try {
        const isClaiming = claiming !== undefined;
        const renewed = await patiently(() => job.renew({ ...lease }));
        for (const [index, { epoch, lost }] of held) {
          const current = renewed.get(index);
          // Claimed after the question was asked, it is not in the answer, or with the epoch of a former claim.
          if (current === undefined ? known.get(index) === epoch : current > epoch) {
            lost.abort(new Error(`prompt ${index} is another worker's now`));
          }
        }
        known = new Map([...held].map(([index, { epoch }]) => [index, epoch]));
        // A claim whose answer was lost leaves items that are ours and that nobody works on.
        if (!isClaiming && claiming === undefined) await giveBackForgotten(renewed);
        await gate.refresh();
        if (settings.max_cost !== undefined) meter.learn((await patiently(() => job.count())).cost);
      } catch (error) {
        fatal.abort(error);
        return;
      }
    }
  };

  await patiently(() => job.releaseGone({ isGone: names.isGone }));
  const beating = beat();
  await (concurrency === 0 ? waitForOthers() : Promise.all(Array.from({ length: concurrency }, slot)));
  done.abort();
  await beating;
  if (fatal.signal.aborted) throw fatal.signal.reason;
  for (const item of queue) await job.release({ item });
  if (halt.signal.aborted) throw halt.signal.reason;

  async function waitForOthers(): Promise<void> {
    while (!over.aborted && (await patiently(() => job.findWait())) !== undefined) await clock.sleep(IDLE_MS, over);
  }
}

const isReplyWithReasoning = (message: Parameters<typeof hasReasoning>[0]): boolean =>
  message.role === 'assistant' && hasReasoning(message);
