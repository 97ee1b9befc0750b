import type { Store, WriteStatement } from '../database/store.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import { createEventRow } from '../events/create-event-row.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { fence } from '../leases/fence.ts';
import type { Lease } from '../leases/lease.ts';
import type { TrainingRunsTable } from '../schema/training.ts';
import type { RunKey } from './training-run.ts';

/** What to write of a run, and the line of its history that says so. */
export interface RunChange {
  columns: Partial<Omit<TrainingRunsTable, 'tenant_id' | 'run_id'>>;
  /** Absent for a change that nobody needs to read about later. */
  event?: { kind: string; data: JsonValue };
  /** Kept together with the change, and run before it: rows of leases are locked first, as a fence does it. */
  before?: readonly WriteStatement[];
  /** Kept together with the change. */
  statements?: readonly WriteStatement[];
}

/** Overtaken writers try again; more often than this only when something is wrong. */
const MOST_ATTEMPTS = 20;

/**
 * Changes a run and appends to its chain, in one commit. The decision is made from the row as it is read here, and holds
 * only while its state and chain are still those: otherwise it is read and decided again. A decision of `undefined` changes
 * nothing. With a lease the change is fenced: a LeaseLostError when it is not the caller's any more.
 */
export async function changeRun(
  options: RunKey & {
    store: Store;
    lease?: Lease;
    decide: (row: TrainingRunsTable, now: number) => RunChange | Promise<RunChange | undefined> | undefined;
  },
): Promise<boolean> {
  const { tenantId, runId, lease, decide } = options;
  const store = lease === undefined ? options.store : fence({ store: options.store, lease });
  for (let attempt = 1; ; attempt++) {
    const row = await store.db
      .selectFrom('training_runs')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .executeTakeFirst();
    if (row === undefined) return false;
    const now = await store.now();
    const change = await decide(row, now);
    if (change === undefined) return false;
    try {
      await store.commit({ statements: toStatements(store, row, change, now) });
      return true;
    } catch (error) {
      // Rolled back as a whole: somebody else changed the run between our reading and our writing. Where statements go out
      // together, the place in the chain that is taken is what the database tells us of.
      const isOvertaken = StaleWriteError.isInstance(error) || StoreConflictError.isInstance(error);
      if (!isOvertaken || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

function toStatements(store: Store, row: TrainingRunsTable, change: RunChange, now: number): WriteStatement[] {
  const { tenant_id: tenantId, run_id: runId } = row;
  const event =
    change.event === undefined
      ? undefined
      : createEventRow(row.event_hash, { tenantId, runId, cursor: row.event_cursor + 1, at: now, ...change.event });
  const link = event === undefined ? {} : { event_cursor: event.cursor, event_hash: event.hash };
  const update = store.db
    .updateTable('training_runs')
    .set({ event_cursor: row.event_cursor, ...change.columns, ...link })
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('state', '=', row.state)
    .where('event_cursor', '=', row.event_cursor)
    .compile();
  return [
    ...(change.before ?? []),
    { query: update, expectRows: 1 },
    ...(event === undefined ? [] : [{ query: store.db.insertInto('events').values(event).compile(), expectRows: 1 }]),
    ...(change.statements ?? []),
  ];
}
