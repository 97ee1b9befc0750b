import { RUN_ROLES } from '@lachesis/protocol';
import { writeRunProcess, type RunProcessRecord, type TrainingRun } from '@lachesis/store';
import { isStillHeld, type HeldRun } from './held-run.ts';
import { endIdentities } from './process-identity.ts';
import { isAlive } from './process-table.ts';
import type { SupervisorDeps } from './deps.ts';

export interface EndProcessesOptions {
  deps: SupervisorDeps;
  held: HeldRun;
  run: TrainingRun;
  processes: readonly RunProcessRecord[];
}

/**
 * One look at the end of a run: the environment first, then the trainer, then the trajectory API, each asked to end and
 * after its grace ended with all it started. `done` when nothing of the run is left.
 */
export async function endProcesses(options: EndProcessesOptions): Promise<'done' | 'lost' | 'waiting'> {
  const { deps, held, run, processes } = options;
  const { table, library, store } = deps;
  const ours = (await table.list()).filter(({ tag }) => tag.library === library && tag.runId === run.runId);
  for (const role of RUN_ROLES.toReversed()) {
    const process = processes.find((candidate) => candidate.role === role);
    if (process === undefined) continue;
    const tagged = ours.filter(({ tag }) => tag.role === role);
    const leaders = new Set(tagged.filter(({ isLeader }) => isLeader).map(({ pid }) => pid));
    if (isAlive(table, process) && process.pid !== null) leaders.add(process.pid);
    if (leaders.size > 0 || tagged.length > 0) {
      endRole({ deps, held, role, leaders, tagged });
      return 'waiting';
    }
    if (process.state === 'stopped' || process.state === 'ended') continue;
    const stopped: RunProcessRecord = { ...process, state: 'stopped', instanceId: null, pid: null, pidStarted: null };
    const event = { kind: 'process-stopped', data: { role, pid: process.pid } };
    const told = process.pid === null ? {} : { event };
    const writing = writeRunProcess({ store, lease: held.lease, process: stopped, ...told });
    if (!(await isStillHeld(writing))) return 'lost';
    await endIdentities({ held, run, role });
  }
  return 'done';
}

function endRole(options: {
  deps: SupervisorDeps;
  held: HeldRun;
  role: 'api' | 'env' | 'trainer';
  leaders: ReadonlySet<number>;
  tagged: readonly { pid: number; started: string }[];
}): void {
  const { deps, held, role, leaders, tagged } = options;
  const { table, monotonic, times } = deps;
  const asked = held.askedToEnd.get(role);
  if (asked === undefined) {
    held.askedToEnd.set(role, monotonic());
    for (const pid of leaders) table.signal(pid, 'SIGTERM', 'process');
    // Without the one that started them nobody would ask them.
    if (leaders.size === 0) for (const { pid } of tagged) table.signal(pid, 'SIGTERM', 'process');
    return;
  }
  // What outlives the one that started it was forgotten by it, and has nobody to wait for.
  if (leaders.size > 0 && monotonic() - asked < times.graceMs[role]) return;
  for (const pid of leaders) table.signal(pid, 'SIGKILL', 'group');
  for (const { pid, started } of tagged) {
    if (table.readStart(pid) === started) table.signal(pid, 'SIGKILL', 'process');
  }
}
