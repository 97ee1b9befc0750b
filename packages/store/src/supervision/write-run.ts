import { isFinalRunState, mayFollow, type FinalRunState, type RunState } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import { changeRun } from './change-run.ts';
import { isHeldBy, type HeldLease } from './run-lease.ts';
import type { RunKey, RunProcessRecord } from './training-run.ts';

/** Moves a run on. False when the lease is somebody else's, or the run does not stand at `from`. */
export function transitionRun(
  options: HeldLease & {
    from: RunState;
    to: RunState;
    reason: string;
    /** With `stopping`: where that leads. */
    outcome?: FinalRunState;
  },
): Promise<boolean> {
  const { from, to, reason, outcome } = options;
  if (!mayFollow(from, to)) throw new Error(`A run does not go from ${from} to ${to}.`);
  return changeRun({
    ...options,
    decide: (row, now) => {
      if (!isHeldBy(row, options) || row.state !== from) return undefined;
      return {
        columns: {
          ...{ state: to, reason, changed_at: now },
          ...(outcome === undefined ? {} : { outcome }),
          ...(to === 'running' ? { started_at: row.started_at ?? now } : {}),
          // The lease ends with the run: there is nothing left to look after.
          ...(isFinalRunState(to) ? { ended_at: now, holder: null, lease_expires_at: null } : {}),
        },
        event: { kind: `run-${to}`, data: { from, reason, epoch: row.epoch } },
      };
    },
  });
}

/** Writes where a process stands, with a line of history when there is something to tell. False when fenced. */
export function writeRunProcess(
  options: HeldLease & { process: RunProcessRecord; event?: { kind: string; data: JsonValue } },
): Promise<boolean> {
  const { store, tenantId, runId, process } = options;
  return changeRun({
    ...options,
    decide: (row, now) => {
      if (!isHeldBy(row, options)) return undefined;
      const query = store.db
        .updateTable('run_processes')
        .set({
          ...{ state: process.state, instance_id: process.instanceId, pid: process.pid, port: process.port },
          ...{
            pid_started: process.pidStarted,
            host: process.host,
            restarts: process.restarts,
            reason: process.reason,
          },
          ...{ deaths: JSON.stringify(process.deaths), start_after: process.startAfter, updated_at: now },
        })
        .where('tenant_id', '=', tenantId)
        .where('run_id', '=', runId)
        .where('role', '=', process.role)
        .compile();
      const event = options.event === undefined ? {} : { event: options.event };
      return { columns: {}, ...event, statements: [{ query, expectRows: 1 }] };
    },
  });
}

/** Adds a line to the history of a run that is held. False when fenced. */
export function noteRunEvent(options: HeldLease & { kind: string; data: JsonValue }): Promise<boolean> {
  const { kind, data } = options;
  return changeRun({
    ...options,
    decide: (row) => (isHeldBy(row, options) ? { columns: {}, event: { kind, data } } : undefined),
  });
}

/** Asks for the end of a run. Anybody may; its supervisor does it. False when it has ended or is ending already. */
export function requestRunStop(options: RunKey & { store: Store; reason: string }): Promise<boolean> {
  return changeRun({
    ...options,
    decide: (row, now) => {
      if (isFinalRunState(row.state) || row.state === 'stopping' || row.stop_requested_at !== null) return undefined;
      return {
        // Whoever ends it, maybe another server and much later, says why.
        columns: { stop_requested_at: now, reason: options.reason },
        event: { kind: 'stop-requested', data: { reason: options.reason } },
      };
    },
  });
}
