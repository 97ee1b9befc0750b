import type { RunState } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { LEASE_COLUMNS } from '../leases/with-lease.ts';
import { toRunProcess, toTrainingRun, type RunKey, type RunProcessRecord, type TrainingRun } from './training-run.ts';

export type FindTrainingRunOptions = { store: Store; tenantId: string } & (
  | { runId: string }
  | { shortId: string }
  | { idempotencyKey: string }
);

/** Runs, each with the lease of its supervisor. */
const selectRuns = ({ db }: Store) =>
  db
    .selectFrom('training_runs')
    .leftJoin('leases', (join) =>
      join
        .onRef('leases.tenant_id', '=', 'training_runs.tenant_id')
        .onRef('leases.resource', '=', 'training_runs.run_id')
        .on('leases.kind', '=', 'supervision'),
    )
    .selectAll('training_runs')
    .select(LEASE_COLUMNS);

/** A run of the supervisor by its id, or undefined when the tenant has none of that id. */
export async function findTrainingRun(options: FindTrainingRunOptions): Promise<TrainingRun | undefined> {
  const { store, tenantId } = options;
  const mine = selectRuns(store).where('training_runs.tenant_id', '=', tenantId);
  const query =
    'runId' in options
      ? mine.where('run_id', '=', options.runId)
      : 'shortId' in options
        ? mine.where('short_id', '=', options.shortId)
        : mine.where('idempotency_key', '=', options.idempotencyKey);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : toTrainingRun(row);
}

/** Runs of a tenant, the newest first. */
export async function listTrainingRuns(options: {
  store: Store;
  tenantId: string;
  state?: RunState | undefined;
  environment?: string | undefined;
  /** Runs made before the one with this id: ids grow with time. */
  beforeRunId?: string | undefined;
  limit?: number | undefined;
}): Promise<TrainingRun[]> {
  const { store, tenantId, state, environment, beforeRunId, limit = 100 } = options;
  let query = selectRuns(store).where('training_runs.tenant_id', '=', tenantId);
  if (state !== undefined) query = query.where('state', '=', state);
  if (environment !== undefined) query = query.where('environment', '=', environment);
  if (beforeRunId !== undefined) query = query.where('run_id', '<', beforeRunId);
  const rows = await query.orderBy('run_id', 'desc').limit(limit).execute();
  return rows.map(toTrainingRun);
}

/** The runs of every tenant that have not ended, for who looks after them. */
export async function listOpenRuns({ store }: { store: Store }): Promise<TrainingRun[]> {
  const rows = await selectRuns(store).where('ended_at', 'is', null).orderBy('run_id').execute();
  return rows.map(toTrainingRun);
}

/** The processes of a run with their states, one for each role. */
export async function listRunProcesses(options: RunKey & { store: Store }): Promise<RunProcessRecord[]> {
  const { store, tenantId, runId } = options;
  const rows = await store.db
    .selectFrom('run_processes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .execute();
  return rows.map(toRunProcess);
}
