import { isFinalRunState, type RunRole } from '@lachesis/protocol';
import { findTrainingRun, listRunProcesses } from '@lachesis/store';
import type { TaggedProcess } from './process-table.ts';
import type { SupervisorDeps } from './deps.ts';

/**
 * Ends processes that carry our tag and belong to nothing: their run is unknown or has ended, or, in a run that we hold,
 * another start took their place. The system is asked before the rows: a row is written before its process starts, so
 * what is seen and has no row is a stray.
 */
export async function reapStrays(options: {
  deps: Pick<SupervisorDeps, 'library' | 'say' | 'store' | 'table'>;
  isHeld: (runId: string) => boolean;
}): Promise<number> {
  const { deps, isHeld } = options;
  const { table, library } = deps;
  const ours = (await table.list()).filter(({ tag }) => tag.library === library);
  const runs = Map.groupBy(ours, ({ tag }) => `${tag.tenantId}\n${tag.runId}`);
  let reaped = 0;
  for (const processes of runs.values()) {
    for (const { pid, started, tag } of await findStrays(deps, processes, isHeld)) {
      // Only while the pid is still the one that was seen.
      if (table.readStart(pid) !== started || !table.signal(pid, 'SIGKILL', 'process')) continue;
      reaped += 1;
      deps.say('a process that belongs to no run was ended', { pid, role: tag.role, runId: tag.runId });
    }
  }
  return reaped;
}

async function findStrays(
  { store }: Pick<SupervisorDeps, 'store'>,
  processes: readonly TaggedProcess[],
  isHeld: (runId: string) => boolean,
): Promise<readonly TaggedProcess[]> {
  const [first] = processes;
  if (first === undefined) return [];
  const key = { store, tenantId: first.tag.tenantId, runId: first.tag.runId };
  const run = await findTrainingRun(key);
  if (run === undefined || isFinalRunState(run.state)) return processes;
  // What is going on in a run that another one holds is not ours to judge; one that is being ended has its own order.
  if (!isHeld(run.runId) || run.state === 'stopping') return [];
  const rows = await listRunProcesses(key);
  const current = new Map<RunRole, string | null>(rows.map(({ role, instanceId }) => [role, instanceId]));
  return processes.filter(({ tag }) => current.get(tag.role) !== tag.instanceId);
}
