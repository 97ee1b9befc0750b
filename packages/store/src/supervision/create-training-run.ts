import { createIdSource, RUN_ROLES, type IdSource, type RunKind, type RunRole } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import { FIRST_PREVIOUS_HASH } from '../events/chain-event.ts';
import { createEventRow } from '../events/create-event-row.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { findTrainingRun } from './find-training-runs.ts';
import type { TrainingRun } from './training-run.ts';

export interface CreateTrainingRunOptions {
  store: Store;
  tenantId: string;
  environment: string;
  /** Default: `rl`. */
  kind?: RunKind | undefined;
  config: JsonValue;
  /** Made for the id, because paths hold it. */
  details: (shortId: string) => JsonValue;
  /** Where each process that it has writes, and the port it is given. */
  processes: (shortId: string) => Readonly<Partial<Record<RunRole, { logPath: string; port: number | null }>>>;
  idempotencyKey?: string | undefined;
  ids?: IdSource;
  /** Gives a candidate for the short id; it is asked again when that one is taken. */
  nextShortId: () => string;
}

/** 36^8 names make a second clash unlikely, and a twentieth a broken source. */
const MOST_ATTEMPTS = 20;

/** Writes a run that waits for a supervisor. Who sends the same key again gets the run that is there. */
export async function createTrainingRun(options: CreateTrainingRunOptions): Promise<TrainingRun> {
  const { store, tenantId, environment, kind = 'rl', idempotencyKey, ids = createIdSource(), nextShortId } = options;
  for (let attempt = 1; ; attempt++) {
    const earlier =
      idempotencyKey === undefined ? undefined : await findTrainingRun({ store, tenantId, idempotencyKey });
    if (earlier !== undefined) return earlier;
    const [runId, shortId, now] = [ids.next(), nextShortId(), await store.now()];
    const event = createEventRow(FIRST_PREVIOUS_HASH, {
      ...{ tenantId, runId, cursor: 1, at: now, kind: 'run-created' },
      data: { short_id: shortId, environment, kind },
    });
    const row = {
      ...{ tenant_id: tenantId, run_id: runId, short_id: shortId, environment, kind },
      ...{ state: 'pending', reason: 'waits for its supervisor', outcome: null },
      config: JSON.stringify(options.config),
      details: JSON.stringify(options.details(shortId)),
      idempotency_key: idempotencyKey ?? null,
      ...{ stop_requested_at: null, created_at: now, started_at: null, ended_at: null, changed_at: now },
      ...{ event_cursor: 1, event_hash: event.hash },
    };
    const places = options.processes(shortId);
    const processes = RUN_ROLES.flatMap((role) => {
      const place = places[role];
      if (place === undefined) return [];
      return {
        ...{ tenant_id: tenantId, run_id: runId, role, state: 'waiting', instance_id: null, pid: null },
        ...{ pid_started: null, host: null, port: place.port, restarts: 0, deaths: '[]' },
        ...{ start_after: null, reason: null, log_path: place.logPath, updated_at: now },
      };
    });
    try {
      await store.commit({
        statements: [
          { query: store.db.insertInto('training_runs').values(row).compile(), expectRows: 1 },
          { query: store.db.insertInto('run_processes').values(processes).compile(), expectRows: processes.length },
          { query: store.db.insertInto('events').values(event).compile(), expectRows: 1 },
        ],
      });
    } catch (error) {
      // The short id or the key is taken; the next turn finds out which.
      if (!StoreConflictError.isInstance(error) || attempt === MOST_ATTEMPTS) throw error;
      continue;
    }
    const created = await findTrainingRun({ store, tenantId, runId });
    if (created === undefined) throw new Error(`Run ${shortId} was created and is gone again.`);
    return created;
  }
}
