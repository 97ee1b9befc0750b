import type { FinalRunState, RunKind, RunProcessState, RunRole, RunState } from '@lachesis/protocol';
import type { JsonValue } from '../events/canonical-json.ts';
import type { LeaseColumns } from '../leases/with-lease.ts';
import type { RunProcessesTable, TrainingRunsTable } from '../schema/training.ts';

/** A run of the supervisor: its state, its configuration, and who holds it. */
export interface TrainingRun {
  tenantId: string;
  runId: string;
  shortId: string;
  environment: string;
  kind: RunKind;
  state: RunState;
  reason: string | null;
  /** The final state that `stopping` leads to. */
  outcome: FinalRunState | null;
  config: JsonValue;
  details: JsonValue;
  stopRequestedAt: number | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  changedAt: number;
  /** Of its supervisor's lease; 0 before the first one. */
  epoch: number;
  holder: string | null;
  leaseExpiresAt: number | null;
}

/** Which run. */
export interface RunKey {
  tenantId: string;
  runId: string;
}

/** What is known of one process of a run: its state, its pid, and on which machine it is. */
export interface RunProcessRecord {
  role: RunRole;
  state: RunProcessState;
  instanceId: string | null;
  pid: number | null;
  pidStarted: string | null;
  /** The machine it was started on; null where a server that did not know of machines started it. */
  host: string | null;
  port: number | null;
  restarts: number;
  /** Times of deaths that still count, milliseconds. */
  deaths: readonly number[];
  startAfter: number | null;
  reason: string | null;
  logPath: string;
}

export function toTrainingRun(row: TrainingRunsTable & LeaseColumns): TrainingRun {
  return {
    tenantId: row.tenant_id,
    runId: row.run_id,
    shortId: row.short_id,
    environment: row.environment,
    kind: row.kind as RunKind,
    state: row.state as RunState,
    reason: row.reason,
    outcome: row.outcome as FinalRunState | null,
    config: JSON.parse(row.config) as JsonValue,
    details: JSON.parse(row.details) as JsonValue,
    stopRequestedAt: row.stop_requested_at,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    changedAt: row.changed_at,
    epoch: row.epoch ?? 0,
    holder: row.holder,
    leaseExpiresAt: row.lease_expires_at,
  };
}

export function toRunProcess(row: RunProcessesTable): RunProcessRecord {
  return {
    role: row.role as RunRole,
    state: row.state as RunProcessState,
    instanceId: row.instance_id,
    pid: row.pid,
    pidStarted: row.pid_started,
    host: row.host,
    port: row.port,
    restarts: row.restarts,
    deaths: JSON.parse(row.deaths) as number[],
    startAfter: row.start_after,
    reason: row.reason,
    logPath: row.log_path,
  };
}
