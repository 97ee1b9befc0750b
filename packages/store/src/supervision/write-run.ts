import { isFinalRunState, mayFollow, type FinalRunState, type RunState } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import type { HeldOptions } from '../leases/acquire-lease.ts';
import type { Lease } from '../leases/lease.ts';
import { releaseStatement } from '../leases/lease-statements.ts';
import { changeRun } from './change-run.ts';
import type { RunKey, RunProcessRecord } from './training-run.ts';

const runOf = ({ tenantId, resource }: Lease): RunKey => ({ tenantId, runId: resource });

/**
 * Moves a run to another state, when that may follow and nobody was faster. False when it does not stand at `from`; a
 * LeaseLostError when it is somebody else's.
 */
export function transitionRun(
  options: HeldOptions & {
    from: RunState;
    to: RunState;
    reason: string;
    /** With `stopping`: where that leads. */
    outcome?: FinalRunState;
  },
): Promise<boolean> {
  const { store, lease, from, to, reason, outcome } = options;
  if (!mayFollow(from, to)) throw new Error(`A run does not go from ${from} to ${to}.`);
  return changeRun({
    ...{ store, lease, ...runOf(lease) },
    decide: (row, now) => {
      if (row.state !== from) return undefined;
      const isFinal = isFinalRunState(to);
      return {
        columns: {
          ...{ state: to, reason, changed_at: now },
          ...(outcome === undefined ? {} : { outcome }),
          ...(to === 'running' ? { started_at: row.started_at ?? now } : {}),
          ...(isFinal ? { ended_at: now } : {}),
        },
        event: { kind: `run-${to}`, data: { from, reason, epoch: lease.epoch } },
        // The lease ends with the run: there is nothing left to look after.
        ...(isFinal ? { statements: [releaseStatement(store, lease)] } : {}),
      };
    },
  });
}

/** Writes where a process stands, with a line of history when there is something to tell. */
export async function writeRunProcess(
  options: HeldOptions & { process: RunProcessRecord; event?: { kind: string; data: JsonValue } },
): Promise<void> {
  const { store, lease, process } = options;
  await changeRun({
    ...{ store, lease, ...runOf(lease) },
    decide: (_row, now) => {
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
        .where('tenant_id', '=', lease.tenantId)
        .where('run_id', '=', lease.resource)
        .where('role', '=', process.role)
        .compile();
      const event = options.event === undefined ? {} : { event: options.event };
      return { columns: {}, ...event, statements: [{ query, expectRows: 1 }] };
    },
  });
}

/** Adds a line to the history of a run that is held. */
export async function noteRunEvent(options: HeldOptions & { kind: string; data: JsonValue }): Promise<void> {
  const { store, lease, kind, data } = options;
  await changeRun({
    ...{ store, lease, ...runOf(lease) },
    decide: () => ({ columns: {}, event: { kind, data } }),
  });
}

/**
 * Asks for the end of a run; whoever holds it stops it. Anybody may; its supervisor does it. False when it has ended
 * or is ending already.
 */
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
