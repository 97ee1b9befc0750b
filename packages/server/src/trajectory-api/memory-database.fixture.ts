import { StaleWriteError, StoreConflictError } from '@lachesis/store';
import type { EnvironmentRecord, planQueueWrite, QueueChanges, QueueSnapshot, ReadyGroupRecord } from '@lachesis/store';
import type { QueuePersistence } from './run-queue.ts';

type QueueIdentity = Parameters<typeof planQueueWrite>[1];

type BatchHistoryRecord = QueueChanges['batchHistory'][number];
type EventRecord = QueueChanges['events'][number];
type GroupFateRecord = QueueChanges['fates'][number];
type GroupHistoryRecord = QueueChanges['groups'][number];
type IdempotencyRecord = QueueChanges['idempotency'][number];
type OpenBatchRecord = QueueSnapshot['batches'][number];
type PostReceiptRecord = QueueSnapshot['receipts'][number];
type QueueStateRecord = QueueSnapshot['state'];

/** The rows of one incarnation. */
export interface MemoryIncarnation {
  readonly incarnationId: string;
  readonly ordinal: number;
  version: number;
  /** JSON, as in the database: nobody can change it by holding on to the object. */
  state: string;
  closeReason: string | null;
  readonly environments: Map<number, EnvironmentRecord>;
  readonly ready: Map<string, ReadyGroupRecord>;
  readonly batches: Map<string, OpenBatchRecord>;
  readonly receipts: Map<string, PostReceiptRecord>;
}

export interface MemoryRun {
  readonly tenantId: string;
  readonly runName: string;
  readonly runId: string;
  /** In the order they were opened; the last one is open. */
  readonly incarnations: MemoryIncarnation[];
}

/** The tables of the queue in memory, written and read as `planQueueWrite` and `loadQueue` do. */
export class MemoryDatabase {
  readonly runs = new Map<string, MemoryRun>();
  readonly groups = new Map<string, GroupHistoryRecord & { incarnationId: string }>();
  readonly fates = new Map<string, GroupFateRecord & { incarnationId: string }>();
  readonly settled = new Map<string, BatchHistoryRecord>();
  readonly idempotency = new Map<string, IdempotencyRecord>();
  readonly events = new Map<string, EventRecord>();
  /** Commits that happened. */
  commits = 0;

  load(run: { tenantId: string; runName: string }): QueueSnapshot | null {
    const found = this.runs.get(nameKey(run));
    const incarnation = found?.incarnations.at(-1);
    if (found === undefined || incarnation === undefined) return null;
    return {
      tenantId: found.tenantId,
      runId: found.runId,
      runName: found.runName,
      incarnationId: incarnation.incarnationId,
      ordinal: incarnation.ordinal,
      version: incarnation.version,
      state: JSON.parse(incarnation.state) as QueueStateRecord,
      environments: [...incarnation.environments.values()].map((row) => ({ ...row })),
      groups: [...incarnation.ready.values()].map((row) => ({ ...row })),
      batches: [...incarnation.batches.values()].map((row) => ({ ...row, groupIds: [...row.groupIds] })),
      receipts: [...incarnation.receipts.values()].map((row) => ({ ...row })),
    };
  }

  readVersion({ tenantId, runId }: { tenantId: string; runId: string }): {
    incarnationId: string;
    version: number;
  } | null {
    for (const run of this.runs.values()) {
      const last = run.incarnations.at(-1);
      if (run.tenantId !== tenantId || run.runId !== runId || last === undefined) continue;
      return { incarnationId: last.incarnationId, version: last.version };
    }
    return null;
  }

  /** All of the changes or, when one of them is refused, none. */
  commit(queue: QueueIdentity, changes: QueueChanges): void {
    const run = this.runs.get(nameKey(queue));
    const last = run?.incarnations.at(-1);
    const isNew = queue.version === 0 && changes.opened === null;
    if (isNew) {
      if (run !== undefined) throw new StoreConflictError({ constraint: 'runs.name' });
    } else {
      const decidedOn = changes.opened?.closed.incarnationId ?? queue.incarnationId;
      if (last === undefined || last.incarnationId !== decidedOn || last.version !== queue.version) {
        throw new StaleWriteError({ statementIndex: 0, expectedRows: 1, actualRows: 0 });
      }
    }
    this.#refuseDoubles(queue, changes, last);
    this.#write(queue, changes, run, last);
    this.commits += 1;
  }

  #refuseDoubles(queue: QueueIdentity, changes: QueueChanges, last: MemoryIncarnation | undefined): void {
    refuseKnown(
      'groups',
      this.groups,
      changes.groups.map((row) => row.groupId),
    );
    refuseKnown(
      'group_fates',
      this.fates,
      changes.fates.map((row) => row.groupId),
    );
    refuseKnown(
      'batches',
      this.settled,
      changes.batchHistory.map((row) => row.batchId),
    );
    refuseKnown(
      'idempotency_keys',
      this.idempotency,
      changes.idempotency.map((row) => `${queue.runId}/${row.key}`),
    );
    refuseKnown(
      'events',
      this.events,
      changes.events.map((row) => `${queue.runId}/${row.cursor}`),
    );
    if (changes.opened === null)
      refuseKnown('post_receipts', last?.receipts ?? new Map(), [...changes.receiptWrites.keys()]);
  }

  #write(
    queue: QueueIdentity,
    changes: QueueChanges,
    known: MemoryRun | undefined,
    last: MemoryIncarnation | undefined,
  ): void {
    const { tenantId, runName, runId } = queue;
    const run = known ?? { tenantId, runName, runId, incarnations: [] };
    this.runs.set(nameKey(queue), run);
    let open = last;
    if (changes.opened !== null && last !== undefined) {
      last.version = queue.version + 1;
      last.state = JSON.stringify(changes.opened.closed.state);
      last.closeReason = changes.opened.closed.reason;
      for (const table of [last.ready, last.batches, last.receipts]) table.clear();
      open = undefined;
    }
    if (open === undefined) {
      open = createIncarnation(queue);
      run.incarnations.push(open);
    } else {
      open.version = queue.version + 1;
      open.state = JSON.stringify(queue.record);
    }

    const { incarnationId } = queue;
    for (const row of changes.groups) this.groups.set(row.groupId, { ...row, incarnationId });
    for (const row of changes.fates) this.fates.set(row.groupId, { ...row, incarnationId });
    for (const row of changes.idempotency) this.idempotency.set(`${runId}/${row.key}`, { ...row });
    for (const row of changes.batchHistory) this.settled.set(row.batchId, { ...row, groupIds: [...row.groupIds] });
    for (const row of changes.events) this.events.set(`${runId}/${row.cursor}`, { ...row });
    for (const row of changes.readyWrites.values())
      upsert(open.ready, row.groupId, row, ['place', 'position', 'failures']);
    for (const id of changes.readyDeletes) open.ready.delete(id);
    for (const {
      batchId,
      ordinal,
      state,
      epoch,
      attempts,
      owner,
      leaseExpiresAt,
      groupIds,
      formedAt,
    } of changes.batchWrites.values()) {
      const row = {
        batchId,
        ordinal,
        state,
        epoch,
        attempts,
        owner,
        leaseExpiresAt,
        groupIds: [...groupIds],
        formedAt,
      };
      upsert(open.batches, batchId, row, ['state', 'epoch', 'attempts', 'owner', 'leaseExpiresAt']);
    }
    for (const id of changes.batchDeletes) open.batches.delete(id);
    for (const {
      receiptId,
      environmentKey,
      bodyDigest,
      reply,
      receivedAt,
      answeredBy,
    } of changes.receiptWrites.values()) {
      open.receipts.set(receiptId, { receiptId, environmentKey, bodyDigest, reply, receivedAt, answeredBy });
    }
    for (const id of changes.receiptsLost) {
      const row = open.receipts.get(id);
      if (row !== undefined) row.answeredBy = null;
    }
    for (const id of changes.receiptDeletes) open.receipts.delete(id);
    for (const row of changes.environmentWrites.values()) {
      upsert(open.environments, row.ordinal, row, ['groupSize', 'connected', 'disconnectReason', 'heardAt']);
    }
  }
}

/** Persistence over such a database that never fails by itself. */
export function createMemoryPersistence(
  database: MemoryDatabase,
  options: { now: () => number; isShared?: boolean },
): QueuePersistence {
  return {
    isShared: options.isShared ?? false,
    load: async (run) => database.load(run),
    readVersion: async (run) => database.readVersion(run),
    now: async () => options.now(),
    commit: async (state, changes) => {
      database.commit(state, changes);
      return { databaseNow: options.now() };
    },
  };
}

function createIncarnation(queue: QueueIdentity): MemoryIncarnation {
  return {
    incarnationId: queue.incarnationId,
    ordinal: queue.ordinal,
    version: 1,
    state: JSON.stringify(queue.record),
    closeReason: null,
    environments: new Map(),
    ready: new Map(),
    batches: new Map(),
    receipts: new Map(),
  };
}

/** Inserts the row, or changes just these columns of the one that is there. */
function upsert<K, R extends object>(table: Map<K, R>, key: K, row: R, columns: readonly (keyof R)[]): void {
  const known = table.get(key);
  if (known === undefined) {
    table.set(key, { ...row });
    return;
  }
  for (const column of columns) known[column] = row[column];
}

function refuseKnown(constraint: string, table: ReadonlyMap<string, unknown>, keys: readonly string[]): void {
  if (new Set(keys).size < keys.length || keys.some((key) => table.has(key)))
    throw new StoreConflictError({ constraint });
}

function nameKey({ tenantId, runName }: { tenantId: string; runName: string }): string {
  return `${tenantId}/${runName}`;
}
