import { changeImprovementRunner, listServedImprovements, type Improvement, type Store } from '@lachesis/store';
import { decideRestart } from '../runs/supervisor/decide-restart.ts';
import { readLogTail, rotateBeforeStart } from '../runs/supervisor/log-files.ts';
import type { ProcessTable, SpawnOptions } from '../runs/supervisor/process-table.ts';
import { isBroughtOn } from './improvements.ts';

/** How the process of an improvement is started, and where it writes what it says. */
export type PlanImprovement = (improvement: Improvement) => Omit<SpawnOptions, 'onExit'>;

export interface SuperviseImprovementsOptions {
  store: Store;
  table: ProcessTable;
  plan: PlanImprovement;
  /** Milliseconds that never go back. */
  monotonic: () => number;
  /** For a person who reads the log of the server. */
  say: (message: string, facts: Readonly<Record<string, unknown>>) => void;
  mostAtOnce?: number;
}

/** Each asks the engine for a whole training; those that wait cost nothing. */
const MOST_AT_ONCE = 4;
/** A process that does not see the end of its improvement for this long is asked to end, and after as long ended. */
const GRACE_MS = 15_000;

interface Child {
  pid: number | undefined;
  started: string | undefined;
  /** At one stage: each try may have cost a whole training, however long it took. */
  deaths: readonly number[];
  /** How many were done when it last died. */
  stages: number;
  startAfter: number;
  /** Set once it has ended. */
  end: { code: number | null; text: string } | undefined;
  isRunning: boolean;
  /** When it is asked to end, and then when it is ended. */
  endsAt: number | undefined;
  isAsked: boolean;
}

/**
 * One round over the improvements that servers bring on: each that nobody brings on gets a process. The process holds the
 * lease itself and outlives the server; of two servers that start one at once, the lease refuses one. What fails again and
 * again is given up with the reason, and waits to be resumed. The round is the supervisor's, see `SupervisorDeps.others`.
 */
export function superviseImprovements(options: SuperviseImprovementsOptions): () => Promise<boolean> {
  const { store, table, monotonic, mostAtOnce = MOST_AT_ONCE } = options;
  const children = new Map<string, Child>();

  return async function look(): Promise<boolean> {
    const open = await listServedImprovements({ store });
    forgetOthers(new Set(open.map(({ improvementId }) => improvementId)));
    if (open.length === 0) return children.size > 0;
    const now = await store.now();
    for (const improvement of open) {
      const child = children.get(improvement.improvementId);
      if (child?.isRunning === true) continue;
      // Its process lives on from before this server did, or another server was faster.
      if (isBroughtOn(improvement, now)) children.delete(improvement.improvementId);
      else if (child?.end !== undefined) await noteDeath(improvement, child, child.end);
      else if (isDue(child)) await start(improvement, child);
    }
    return true;
  };

  function isDue(child: Child | undefined): boolean {
    const running = [...children.values()].filter(({ isRunning }) => isRunning).length;
    return running < mostAtOnce && (child === undefined || child.startAfter <= monotonic());
  }

  async function start(improvement: Improvement, before: Child | undefined): Promise<void> {
    const { improvementId } = improvement;
    const plan = options.plan(improvement);
    await rotateBeforeStart(plan.logPath);
    const child: Child = {
      ...{ pid: undefined, started: undefined, deaths: before?.deaths ?? [], stages: before?.stages ?? 0 },
      ...{ startAfter: 0, end: undefined, isRunning: true, endsAt: undefined, isAsked: false },
    };
    children.set(improvementId, child);
    const onExit: SpawnOptions['onExit'] = ({ code, signal, error }) => {
      child.isRunning = false;
      child.end = { code, text: error ?? signal ?? `exit code ${code}` };
    };
    try {
      // If we die behind this, it goes on by itself and holds the lease: whoever comes next sees that, or starts another.
      child.pid = table.spawn({ ...plan, onExit }).pid;
      child.started = child.pid === undefined ? undefined : table.readStart(child.pid);
    } catch (error) {
      onExit({ code: null, signal: null, error: error instanceof Error ? error.message : String(error) });
    }
  }

  async function noteDeath(improvement: Improvement, child: Child, end: NonNullable<Child['end']>): Promise<void> {
    const { tenantId, improvementId, problem } = improvement;
    const stages = improvement.stages.length;
    const deaths = stages > child.stages ? [] : child.deaths;
    const decision = decideRestart({ deaths, now: monotonic(), code: end.code, windowMs: Number.POSITIVE_INFINITY });
    if (decision.kind === 'restart') {
      const { startAfter } = decision;
      children.set(improvementId, { ...child, end: undefined, stages, deaths: decision.deaths, startAfter });
      return;
    }
    const { logPath } = options.plan(improvement);
    const [line] = problem === null ? await readLogTail(logPath, 1) : [];
    const reason =
      problem ?? `its process ended ${decision.deaths.length} times (${end.text}): ${line ?? 'it said nothing'}`;
    options.say('an improvement fails again and again, and waits to be resumed', {
      improvement: improvementId,
      reason,
    });
    await changeImprovementRunner({ store, tenantId, improvementId, runner: 'server-paused', problem: reason });
    children.delete(improvementId);
  }

  /** What has ended, or is no server's any more, needs no process. It sees that itself, within a second or two. */
  function forgetOthers(open: ReadonlySet<string>): void {
    for (const [id, child] of children) {
      if (open.has(id)) Object.assign(child, { endsAt: undefined, isAsked: false });
      else if (!child.isRunning) children.delete(id);
      else if ((child.endsAt ??= monotonic() + GRACE_MS) <= monotonic()) end(child);
    }
  }

  function end(child: Child): void {
    const { pid, started, isAsked } = child;
    if (pid === undefined || started === undefined || table.readStart(pid) !== started) return;
    table.signal(pid, isAsked ? 'SIGKILL' : 'SIGTERM', 'group');
    Object.assign(child, { isAsked: true, endsAt: monotonic() + GRACE_MS });
  }
}
