import { isFinalRunState, type RunRole } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import { changeRun } from './change-run.ts';
import type { RunKey } from './training-run.ts';

export interface ReopenTrainingRunOptions extends RunKey {
  store: Store;
  /** Instead of what it was started with. */
  config?: JsonValue | undefined;
  details?: JsonValue | undefined;
  /** Ports that are free now, by role. */
  ports?: Readonly<Partial<Record<RunRole, number | null>>> | undefined;
}

/**
 * Lets a run that has ended wait for a supervisor again: it goes on from what it saved. One that has not ended stands where
 * it stands, and only what was given is written. False when nothing was changed.
 */
export function reopenTrainingRun(options: ReopenTrainingRunOptions): Promise<boolean> {
  const { store, tenantId, runId, config, details, ports = {} } = options;
  return changeRun({
    ...{ store, tenantId, runId },
    decide: (row, now) => {
      const given = {
        ...(config === undefined ? {} : { config: JSON.stringify(config) }),
        ...(details === undefined ? {} : { details: JSON.stringify(details) }),
      };
      if (!isFinalRunState(row.state)) {
        if (Object.keys(given).length === 0) return undefined;
        return { columns: given, event: { kind: 'run-changed', data: {} } };
      }
      const mine = store.db.updateTable('run_processes').where('tenant_id', '=', tenantId).where('run_id', '=', runId);
      const waiting = {
        state: 'waiting',
        instance_id: null,
        pid: null,
        pid_started: null,
        host: null,
        updated_at: now,
      };
      const fresh = mine.set({ ...waiting, deaths: '[]', start_after: null, reason: null }).compile();
      const moved = Object.entries(ports).map(([role, port]) => ({
        query: mine.set({ port }).where('role', '=', role).compile(),
      }));
      return {
        columns: {
          ...{ state: 'pending', reason: 'waits for its supervisor', outcome: null, stop_requested_at: null },
          ...{ ended_at: null, changed_at: now },
          ...given,
        },
        event: { kind: 'run-resumed', data: { from: row.state } },
        statements: [{ query: fresh }, ...moved],
      };
    },
  });
}
