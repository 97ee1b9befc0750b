import {
  StaleWriteError,
  StoreConflictError,
  type Lease,
  type QueueChanges,
  type QueueSnapshot,
} from '@lachesis/store';
import { LachesisError } from '@lachesis/protocol';
import type { DatabaseClock } from './database-clock.ts';
import { createEmptyQueue, restoreQueue, type QueueState } from './queue/state.ts';
import { createTransaction, type QueueRules, type Transaction } from './queue/transaction.ts';

/** Where a queue is kept. `commit` resolves when the changes are on disk; it writes all of them or none. */
export interface QueuePersistence {
  load(run: { tenantId: string; runName: string }): Promise<QueueSnapshot | null>;
  /**
   * Fails with a stale-write error when somebody else committed since `state.version`, and with a lease-lost error when
   * `lease` is given and is somebody else's: the same transaction asks both.
   */
  commit(state: QueueState, changes: QueueChanges, lease?: Lease): Promise<{ databaseNow: number }>;
  readVersion(run: { tenantId: string; runId: string }): Promise<{ incarnationId: string; version: number } | null>;
  now(): Promise<number>;
  /** Whether other processes may commit to the same run. */
  readonly isShared: boolean;
}

export interface RunQueueOptions {
  tenantId: string;
  runName: string;
  persistence: QueuePersistence;
  clock: DatabaseClock;
  rules: QueueRules;
  nextId: () => string;
  /** Called after each commit that changed something. */
  onCommitted?: (state: QueueState) => void;
  /** Called with the first state that is loaded, before any command; once more whenever that could not be committed. */
  onFirstLoad?: (transaction: Transaction) => void;
  /** Whether a server that lives is answering the request that this receipt is of. */
  isAnswering?: (receipt: QueueSnapshot['receipts'][number]) => boolean;
  /** The lease under which every commit is made, for a run that one of several servers owns; throws when it is not ours. */
  lease?: () => Lease;
  monotonic?: () => number;
  pause?: (ms: number) => Promise<void>;
  /** From 0 to 1: spreads the tries of servers that overtake one another. */
  random?: () => number;
}

type Command = {
  decide: (transaction: Transaction) => unknown;
  deadline: number;
  isExclusive: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** So many commands share one commit at most: it keeps a commit's statements and its latency bounded. */
const COMMANDS_PER_TURN = 256;
const RECENT_TURNS = 16;
const SHARED_REFRESH_MS = 200;
const DEFER_MS = 250;

/**
 * The life of one run's queue. Commands wait in line, are decided in memory transaction by transaction, and are answered when their
 * transaction is committed. When a commit fails the memory is thrown away, loaded again, and the transaction is decided anew.
 */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #monotonic: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #random: () => number;
  #state: QueueState | null = null;
  #isFirstLoad = true;
  #line: Command[] = [];
  #deferred: ((transaction: Transaction) => void)[] = [];
  #isDeferralDue = false;
  #working: Promise<void> | null = null;
  #checkedAt = 0;
  #usedAt = 0;

  constructor(options: RunQueueOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    this.#random = options.random ?? Math.random;
  }

  get runName(): string {
    return this.#options.runName;
  }

  get tenantId(): string {
    return this.#options.tenantId;
  }

  /** When somebody last asked, on the monotonic clock. */
  get usedAt(): number {
    return this.#usedAt;
  }

  get isIdle(): boolean {
    return this.#working === null && this.#line.length === 0;
  }

  /** What is in memory now, if anything: for housekeeping that need not load it. */
  get cached(): QueueState | null {
    return this.#state;
  }

  /** Drops what is in memory, because somebody else writes from now on. A transaction under way finds out by itself. */
  forget(): void {
    if (this.isIdle) this.#state = null;
  }

  /** Decides `decide` in the next transaction and answers once that transaction is on disk. */
  execute<T>(
    decide: (transaction: Transaction) => T,
    options: { deadlineMs?: number; isExclusive?: boolean } = {},
  ): Promise<T> {
    const { deadlineMs = 20_000, isExclusive = false } = options;
    this.#usedAt = this.#monotonic();
    return new Promise<T>((resolve, reject) => {
      this.#line.push({
        decide,
        deadline: this.#monotonic() + deadlineMs,
        isExclusive,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.#work();
    });
  }

  /**
   * Decides `decide` along with the next transaction, at the latest after a moment. For what need not be on disk soon: it costs
   * no commit of its own while others commit.
   */
  defer(decide: (transaction: Transaction) => void): void {
    this.#deferred.push(decide);
    if (this.#isDeferralDue) return;
    this.#isDeferralDue = true;
    void this.#pause(DEFER_MS).then(() => {
      this.#isDeferralDue = false;
      return this.#deferred.length > 0 ? this.execute(() => undefined).catch(ignoreLostDeferral) : undefined;
    });
  }

  /** The state as this process knows it; with a shared database it is at most a moment old. */
  async read<T>(look: (state: QueueState) => T): Promise<T> {
    this.#usedAt = this.#monotonic();
    if (this.#state === null || (await this.#isOutdated())) {
      await this.execute(() => undefined);
    }
    const state = this.#state;
    // A transaction that failed meanwhile dropped the state: go through the line again.
    return state === null ? this.execute((transaction) => look(transaction.state)) : look(state);
  }

  /** The state as it is on disk. A transaction changes the memory before it commits, and a kill in between takes that back: who asks then is answered with the transaction. */
  readCommitted<T>(look: (state: QueueState) => T): Promise<T> {
    return this.isIdle ? this.read(look) : this.execute((transaction) => look(transaction.state));
  }

  /** Resolves when every command in line has been answered. */
  async settle(): Promise<void> {
    if (this.#deferred.length > 0) await this.execute(() => undefined).catch(ignoreLostDeferral);
    while (this.#working !== null) await this.#working;
  }

  #work(): void {
    this.#working ??= this.#workLine().finally(() => {
      this.#working = null;
      if (this.#line.length > 0) this.#work();
    });
  }

  async #workLine(): Promise<void> {
    while (this.#line.length > 0) await this.#runTransaction(this.#nextCommands());
  }

  #nextCommands(): Command[] {
    const first = this.#line[0];
    if (first?.isExclusive === true) return this.#line.splice(0, 1);
    const stop = this.#line.findIndex((command) => command.isExclusive);
    return this.#line.splice(0, Math.min(COMMANDS_PER_TURN, stop === -1 ? this.#line.length : stop));
  }

  /** `earlier` are tries of the same commands whose commit may have happened without an answer. */
  async #runTransaction(waiting: Command[], earlier: readonly Attempt[] = []): Promise<void> {
    const attempts = [...earlier];
    let commands = waiting;
    let decidedOn = '';
    let conflict = null as { decidedOn: string; error: unknown } | null;
    for (let round = 0; ; round++) {
      try {
        const isKnown = this.#state !== null;
        const state = await this.#load();
        const committed = attempts.find(({ turnId }) => state.record.recentTurns.includes(turnId));
        if (committed !== undefined) {
          answer(committed.decided);
          return;
        }
        decidedOn = `${state.incarnationId}/${state.version}`;
        if (conflict?.decidedOn === decidedOn) {
          await this.#isolateConflict(commands, attempts, conflict.error);
          return;
        }
        const transaction = this.#createTransaction(state);
        const deferred = this.#deferred.length;
        for (const decide of this.#deferred) decide(transaction);
        const decided = commands.map((command) => decide(command, transaction));
        const broken = decided.find((decision) => decision.error !== undefined);
        if (broken !== undefined) {
          // A decision that threw may have left the state half changed: the others are decided again without it.
          this.#state = null;
          broken.command.reject(broken.error);
          commands = commands.filter((command) => command !== broken.command);
          if (commands.length === 0) return;
          continue;
        }
        // Each try has its own id: the ids it made are the ones in the rows, if it is the try that was written.
        attempts.push({ turnId: transaction.turnId, decided });
        if (transaction.dirty) await this.#commit(transaction);
        // A commit fails when another process has moved on; what is only answered has to ask. Fresh rows need not.
        else if (isKnown && (await this.#hasMovedOn(state))) continue;
        this.#deferred.splice(0, deferred);
        answer(decided);
        return;
      } catch (error) {
        this.#state = null;
        const isConflict = StoreConflictError.isInstance(error);
        if (isConflict) conflict = { decidedOn, error };
        commands = this.#rejectLate(commands, error, isConflict || isRetryable(error));
        if (commands.length === 0) return;
        await this.#pause(Math.min(25 * 2 ** round, 500) * (0.5 + this.#random()));
      }
    }
  }

  /**
   * A key was taken although nobody has written to the run since: one of the commands writes a key that another run or
   * an earlier command wrote. Alone that one fails, and the others do not. If the run has moved on, its writer took the
   * key, and deciding again on its rows is all there is to do.
   */
  async #isolateConflict(commands: Command[], attempts: readonly Attempt[], error: unknown): Promise<void> {
    if (commands.length === 1) commands[0]?.reject(error);
    else for (const command of commands) await this.#runTransaction([command], attempts);
  }

  #createTransaction(state: QueueState): Transaction {
    const { rules, clock, nextId } = this.#options;
    return createTransaction({ turnId: nextId(), state, rules, now: clock.now(), nextId });
  }

  async #commit(transaction: Transaction): Promise<void> {
    const { state } = transaction;
    state.record.recentTurns = [...state.record.recentTurns.slice(1 - RECENT_TURNS), transaction.turnId];
    const { databaseNow } = await this.#options.persistence.commit(state, transaction.changes, this.#options.lease?.());
    this.#options.clock.sync(databaseNow);
    state.version = transaction.changes.opened === null ? state.version + 1 : 1;
    this.#checkedAt = this.#monotonic();
    this.#options.onCommitted?.(state);
  }

  #rejectLate(commands: Command[], error: unknown, mayRepeat: boolean): Command[] {
    const now = this.#monotonic();
    const late = commands.filter((command) => !mayRepeat || command.deadline <= now);
    for (const command of late) command.reject(mayRepeat ? toOvertaken(error) : error);
    return commands.filter((command) => !late.includes(command));
  }

  async #load(): Promise<QueueState> {
    if (this.#state !== null) return this.#state;
    const { persistence, clock, rules, nextId, tenantId, runName, onFirstLoad, isAnswering } = this.#options;
    if (!clock.isSynced) clock.sync(await persistence.now());
    const snapshot = await persistence.load({ tenantId, runName });
    this.#checkedAt = this.#monotonic();
    this.#state =
      snapshot === null
        ? createEmptyQueue({ tenantId, runName, runId: nextId(), incarnationId: nextId() })
        : restoreQueue(snapshot, { countsFormed: rules.deviates, isAnswering });
    if (this.#isFirstLoad && snapshot !== null && onFirstLoad !== undefined) {
      const transaction = this.#createTransaction(this.#state);
      onFirstLoad(transaction);
      if (transaction.dirty) await this.#commit(transaction);
    }
    this.#isFirstLoad = false;
    return this.#state;
  }

  /** Drops a state that another process has moved past. */
  async #isOutdated(): Promise<boolean> {
    const state = this.#state;
    if (!this.#options.persistence.isShared || state === null || !this.isIdle) return false;
    if (this.#monotonic() - this.#checkedAt < SHARED_REFRESH_MS) return false;
    const isCurrent = await this.#isCurrent(state);
    // A transaction that ran while we asked has committed newer rows than we were told of.
    if (isCurrent || this.#state !== state || !this.isIdle) return false;
    this.#state = null;
    return true;
  }

  /** Within a transaction: drops a state that another process has moved past, so that the transaction is decided again. */
  async #hasMovedOn(state: QueueState): Promise<boolean> {
    if (!this.#options.persistence.isShared || (await this.#isCurrent(state))) return false;
    this.#state = null;
    return true;
  }

  async #isCurrent({ runId, incarnationId, version }: QueueState): Promise<boolean> {
    const { persistence, tenantId } = this.#options;
    this.#checkedAt = this.#monotonic();
    // A run without rows has an id that we made up; whoever wrote its first rows took another.
    if (version === 0) return false;
    const seen = await persistence.readVersion({ tenantId, runId });
    return seen?.incarnationId === incarnationId && seen.version === version;
  }
}

/** What is deferred can be done without: the database is away, and what was not noted is worked out again from the rows. */
function ignoreLostDeferral(): void {}

/** One try of a transaction: what its commands are answered if its commit turns out to have happened. */
type Attempt = { turnId: string; decided: Decision[] };
type Decision = { command: Command; value?: unknown; error?: unknown };

function decide(command: Command, transaction: Transaction): Decision {
  try {
    return { command, value: command.decide(transaction) };
  } catch (error) {
    return { command, error };
  }
}

function answer(decided: readonly Decision[]): void {
  for (const { command, value } of decided) command.resolve(value);
}

/**
 * What a command is told whose time ran out while other processes committed first. A key that was taken is no verdict
 * then: the rows it was decided on had moved on, and only a conflict on rows that stand still is one.
 */
function toOvertaken(error: unknown): unknown {
  if (!StaleWriteError.isInstance(error) && !StoreConflictError.isInstance(error)) return error;
  return new LachesisError({
    code: 'unavailable',
    message: 'other servers of this run committed first, again and again',
    hint: 'Nothing was acknowledged; send the same request again. One server for each run does not know this.',
    retryAfterSeconds: 1,
    cause: error,
  });
}

/** Whether deciding again on fresh rows can help: the database was away, or somebody else committed first. */
export function isRetryable(error: unknown): boolean {
  if (StaleWriteError.isInstance(error)) return true;
  if (LachesisError.isInstance(error)) return error.isRetryable;
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
}
