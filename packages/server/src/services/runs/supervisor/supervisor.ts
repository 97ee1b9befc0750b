import { isFinalRunState } from '@lachesis/protocol';
import {
  acquireRunLease,
  findTrainingRun,
  LeaseLostError,
  listOpenRuns,
  listRunProcesses,
  releaseLease,
  renewLease,
  transitionRun,
  type TrainingRun,
} from '@lachesis/store';
import { readRunDetails } from '../details.ts';
import { createHeldRun, isStillHeld, type HeldRun } from './held-run.ts';
import { rotateInUse } from './log-files.ts';
import { reapStrays } from './reap-strays.ts';
import { superviseRun, type Tick } from './supervise-run.ts';
import type { SupervisorDeps } from './deps.ts';

/** With no run to look after it looks less often; who starts one pokes it. */
const IDLE_FACTOR = 4;

/** What an improvement trains is brought on by the improvement. */
const isForAnybody = ({ kind }: TrainingRun): boolean => kind !== 'improve';

/** Looks after every run that nobody else looks after. */
export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #holder: string;
  /** Only runs it says yes to; for one who looks after a single run. */
  readonly #isMine: (run: TrainingRun) => boolean;
  readonly #held = new Map<string, HeldRun>();
  readonly #ticks = new Map<string, Promise<void>>();
  /** Runs of another machine that were told about. */
  readonly #elsewhere = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isIdle = false;
  #reapedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: SupervisorDeps, options: { isMine?: (run: TrainingRun) => boolean } = {}) {
    this.#deps = deps;
    this.#isMine = options.isMine ?? isForAnybody;
    // Two supervisors in one process are two as well.
    this.#holder = `${deps.ids.next()}@${deps.table.self()}`;
  }

  /** How many runs it holds. */
  get heldRuns(): number {
    return this.#held.size;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#schedule(0);
  }

  /** Something has changed: does not wait for the next round. */
  wake(): void {
    if (this.#isRunning) this.#schedule(0);
  }

  /** Gives its runs back. Their processes go on, and the next supervisor adopts them. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
    for (const held of this.#held.values()) held.gone.abort();
    await Promise.all(this.#ticks.values());
    const leases = [...this.#held.values()].map(({ lease }) => lease);
    this.#held.clear();
    // Whoever is not told waits until the lease has run out.
    await Promise.allSettled(leases.map((lease) => releaseLease({ store: this.#deps.store, lease })));
  }

  /** One round, whole: leases, a tick of each held run, strays. For tests, and for who waits for a result. */
  async tick(): Promise<void> {
    await this.#look();
    await Promise.all(this.#ticks.values());
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // Rounds follow one another; ticks of runs may be longer than a round.
      this.#round = this.#round
        .then(() => this.#look())
        .catch((error: unknown) =>
          this.#deps.say('a round of the supervisor failed; it is tried again', { err: error }),
        )
        .then(() => {
          if (this.#isRunning) this.#schedule(this.#deps.times.tickMs * (this.#isIdle ? IDLE_FACTOR : 1));
        });
    }, afterMs);
  }

  async #look(): Promise<void> {
    const { store, monotonic, times } = this.#deps;
    const open = (await listOpenRuns({ store })).filter((run) => this.#isMine(run));
    const hasOthers = await this.#lookAtOthers();
    this.#isIdle = open.length === 0 && !hasOthers;
    const now = await store.now();
    for (const run of open) {
      if (this.#ticks.has(run.runId)) continue;
      this.#ticks.set(
        run.runId,
        this.#take(run, now)
          .catch((error: unknown) =>
            this.#deps.say('a tick of a run failed; it is tried again', { err: error, run: run.shortId }),
          )
          .finally(() => this.#ticks.delete(run.runId)),
      );
    }
    await this.#renewAll();
    if (monotonic() - this.#reapedAt < times.reapEveryMs) return;
    this.#reapedAt = monotonic();
    await reapStrays({ deps: this.#deps, isHeld: (runId) => this.#held.has(runId) });
    await this.#rotateLogs();
  }

  /** What goes wrong with them keeps no run from being looked after. */
  async #lookAtOthers(): Promise<boolean> {
    try {
      return (await this.#deps.others?.()) ?? false;
    } catch (error) {
      this.#deps.say('a round over the improvements failed; it is tried again', { err: error });
      return true;
    }
  }

  async #take(seen: TrainingRun, now: number): Promise<void> {
    const { runId } = seen;
    let run = seen;
    if (this.#held.get(runId) === undefined) {
      const taken = await this.#acquire(seen, now);
      if (taken === undefined) return;
      run = taken;
    }
    const held = this.#held.get(runId);
    if (held === undefined || !this.#isSure(held)) return this.#drop(runId);
    const isOurs = ({ epoch, holder }: TrainingRun): boolean =>
      epoch === held.lease.epoch && holder === held.lease.holder;
    if (!isOurs(run)) {
      // Perhaps the row was read before we took the lease. Who drops a lease that it holds waits for its end.
      const { tenantId } = held.lease;
      const fresh = await findTrainingRun({ store: this.#deps.store, tenantId, runId });
      if (fresh === undefined || !isOurs(fresh)) return this.#drop(runId);
      run = fresh;
    }
    const tick = await this.#runTick(held, run, now);
    if (tick === 'lost' || tick === 'ended') this.#drop(runId);
    if (tick === 'again') this.wake();
  }

  /** A tick may break for a moment, as when the disk is full; a run that breaks every tick would wait for ever. */
  async #runTick(held: HeldRun, run: TrainingRun, now: number): Promise<Tick> {
    const deps = this.#deps;
    try {
      const tick = await superviseRun({ deps, held, run, now });
      held.failingSince = undefined;
      return tick;
    } catch (error) {
      if (LeaseLostError.isInstance(error)) return 'lost';
      held.failingSince ??= deps.monotonic();
      const isGivenUp = deps.monotonic() - held.failingSince >= deps.times.brokenMs;
      if (!isGivenUp || run.state === 'stopping' || isFinalRunState(run.state)) throw error;
      const reason = `it cannot be looked after: ${error instanceof Error ? error.message : String(error)}`;
      await transitionRun({
        store: deps.store,
        lease: held.lease,
        from: run.state,
        to: 'stopping',
        outcome: 'failed',
        reason,
      });
      throw error;
    }
  }

  async #acquire(run: TrainingRun, now: number): Promise<TrainingRun | undefined> {
    const { store, table, times, monotonic } = this.#deps;
    const isGone = (holder: string): boolean => table.isGone(holder.slice(holder.indexOf('@') + 1));
    const isFree = run.holder === null || (run.leaseExpiresAt ?? 0) <= now || isGone(run.holder);
    if (isFinalRunState(run.state) || !isFree || this.#isAwaited(run)) return undefined;
    if (await this.#isElsewhere(run)) return undefined;
    const askedAt = monotonic();
    const acquired = await acquireRunLease({
      ...{ store, tenantId: run.tenantId, runId: run.runId, holder: this.#holder },
      ...{ seconds: times.leaseSeconds, isGone },
    });
    if (acquired === undefined) return undefined;
    this.#held.set(run.runId, createHeldRun({ store, lease: acquired.lease }, askedAt));
    return acquired.run;
  }

  /** Whether the one who made it is about to take it. */
  #isAwaited(run: TrainingRun): boolean {
    const { starter } = readRunDetails(run.details);
    const { table } = this.#deps;
    return run.state === 'pending' && starter !== null && starter !== table.self() && !table.isGone(starter);
  }

  /**
   * Whether its processes live on another machine, where alone they can be watched and ended. One that somebody asked to
   * stop is ended in the rows all the same: a supervisor there ends what it finds of it when it is back.
   */
  async #isElsewhere(run: TrainingRun): Promise<boolean> {
    const { store, findOtherHost, say } = this.#deps;
    if (run.stopRequestedAt !== null) return false;
    const processes = await listRunProcesses({ store, tenantId: run.tenantId, runId: run.runId });
    const other = findOtherHost(processes);
    if (other === undefined) return false;
    if (!this.#elsewhere.has(run.runId)) {
      this.#elsewhere.add(run.runId);
      const what = 'the processes of a run are on another machine and it is not looked after from here';
      say(`${what}: start the control server there, or stop the run`, { run: run.shortId, host: other });
    }
    return true;
  }

  /** Whether the lease cannot have run out: a process that was stopped for a while must not act on what it knew. */
  #isSure(held: HeldRun): boolean {
    return this.#deps.monotonic() - held.renewedAt < this.#deps.times.leaseSeconds * 1000;
  }

  async #renewAll(): Promise<void> {
    const { store, monotonic, times } = this.#deps;
    const due = [...this.#held].filter(([, held]) => monotonic() - held.renewedAt >= times.renewEveryMs);
    for (const [runId, held] of due) {
      const askedAt = monotonic();
      const renewing = renewLease({ store, lease: held.lease, seconds: times.leaseSeconds });
      if (await isStillHeld(renewing)) held.renewedAt = askedAt;
      else this.#drop(runId);
    }
  }

  #drop(runId: string): void {
    this.#held.get(runId)?.gone.abort();
    this.#held.delete(runId);
  }

  async #rotateLogs(): Promise<void> {
    const { store } = this.#deps;
    for (const { lease } of this.#held.values()) {
      const processes = await listRunProcesses({ store, tenantId: lease.tenantId, runId: lease.resource });
      for (const { logPath } of processes) await rotateInUse(logPath);
    }
  }
}
