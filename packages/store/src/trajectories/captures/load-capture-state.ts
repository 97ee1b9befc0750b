import type { Store } from '../../database/store.ts';
import type { StreamGap } from './capture-stream.ts';
import { addPlaces, listContinued, nameForgotten, nameStream, openTrajectory } from './capture-state.ts';
import type { CaptureState, OpenTrajectory, PreparedRecord } from './capture-state.ts';

interface LoadOptions {
  store: Store;
  tenantId: string;
  prepared: readonly PreparedRecord[];
}

/** Reads everything the records touch, in a few queries for all of them. */
export async function loadCaptureState({ store, tenantId, prepared }: LoadOptions): Promise<CaptureState> {
  const { db } = store;
  const state: CaptureState = {
    receipts: new Map(),
    trajectories: new Map(),
    byKey: new Map(),
    takenIds: new Set(),
    replies: new Map(),
    streams: new Map(),
    forgotten: new Map(),
  };
  const records = prepared.map(({ record }) => record);
  const keys = unique(records.map(({ trajectory }) => trajectory));
  const users = unique(records.map(({ user }) => user));
  const digests = unique(prepared.flatMap((one) => listContinued(one)));
  const [repeats, keyed, replies, streams, forgotten] = await Promise.all([
    inPortions(
      records.map(({ record_id: id }) => id),
      (ids) =>
        db
          .selectFrom('capture_records')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where('record_id', 'in', ids)
          .execute(),
    ),
    inPortions(keys, (some) =>
      db.selectFrom('trajectories').selectAll().where('tenant_id', '=', tenantId).where('key', 'in', some).execute(),
    ),
    inPortions(digests, (some) =>
      db.selectFrom('turn_replies').selectAll().where('tenant_id', '=', tenantId).where('digest', 'in', some).execute(),
    ),
    inPortions(unique(records.map(({ trajectory }) => trajectory ?? '')), (some) =>
      db
        .selectFrom('capture_streams')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('recorder', 'in', unique(records.map(({ recorder }) => recorder)))
        .where('stream', 'in', some)
        .execute(),
    ),
    inPortions(
      [...keys.map((key) => nameForgotten('key', key)), ...users.map((user) => nameForgotten('user', user))],
      (names) =>
        db
          .selectFrom('forgotten')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where('kind', 'in', ['key', 'user'])
          .where('name', 'in', names)
          .execute(),
    ),
  ]);
  for (const row of repeats) {
    const { record_id, trajectory_id, turn_index } = row;
    state.receipts.set(record_id, { record_id, trajectory_id, turn_index, is_repeat: true });
  }
  for (const { name, trajectory_id: trajectoryId, forgotten_at: forgottenAt } of forgotten) {
    state.forgotten.set(name, { trajectoryId, forgottenAt });
  }
  for (const { digest, trajectory_id: trajectoryId, turn_index: turnIndex } of replies) {
    state.replies.set(digest, [...(state.replies.get(digest) ?? []), { trajectoryId, turnIndex }]);
  }
  for (const { recorder, stream, next_sequence: nextSequence, gaps, version } of streams) {
    const name = nameStream({ recorder, trajectory: stream });
    state.streams.set(name, {
      recorder,
      stream,
      nextSequence,
      gaps: JSON.parse(gaps) as StreamGap[],
      version,
      isChanged: false,
    });
  }
  for (const row of keyed) addTrajectory(state, row);
  await loadTakenIds({ store, tenantId, prepared, state });
  const others = unique([...replies.map(({ trajectory_id: id }) => id), ...listGapOwners(state, prepared)]).filter(
    (id) => !state.trajectories.has(id),
  );
  const rows = await inPortions(others, (ids) =>
    db
      .selectFrom('trajectories')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('trajectory_id', 'in', ids)
      .execute(),
  );
  for (const row of rows) addTrajectory(state, row);
  await loadPlaces({ store, tenantId, state });
  return state;
}

async function loadTakenIds({
  store,
  tenantId,
  prepared,
  state,
}: LoadOptions & { state: CaptureState }): Promise<void> {
  const told = unique(prepared.map(({ record }) => record.trajectory_id ?? null));
  const [rows, forgotten] = await Promise.all([
    inPortions(told, (ids) =>
      store.db
        .selectFrom('trajectories')
        .select('trajectory_id as id')
        .where('tenant_id', '=', tenantId)
        .where('trajectory_id', 'in', ids)
        .execute(),
    ),
    inPortions(told, (ids) =>
      store.db
        .selectFrom('forgotten')
        .select('name as id')
        .where('tenant_id', '=', tenantId)
        .where('kind', '=', 'trajectory')
        .where('name', 'in', ids)
        .execute(),
    ),
  ]);
  for (const { id } of [...rows, ...forgotten]) state.takenIds.add(id);
}

async function loadPlaces(options: { store: Store; tenantId: string; state: CaptureState }): Promise<void> {
  const { store, tenantId, state } = options;
  const turns = await inPortions([...state.trajectories.keys()], (ids) =>
    store.db
      .selectFrom('turns')
      .select(['trajectory_id', 'turn_index', 'parent_index', 'kept_messages', 'prefixes', 'call_prefixes'])
      .where('tenant_id', '=', tenantId)
      .where('trajectory_id', 'in', ids)
      .orderBy('trajectory_id')
      .orderBy('turn_index')
      .execute(),
  );
  for (const turn of turns) addPlaces(state.trajectories.get(turn.trajectory_id)!, turn);
}

function addTrajectory(
  state: CaptureState,
  stored: OpenTrajectory['row'] & { tenant_id: string; search_id: unknown },
): void {
  const { tenant_id: _tenant, search_id: _search, ...row } = stored;
  const trajectory = openTrajectory(row, row.version);
  state.trajectories.set(row.trajectory_id, trajectory);
  if (row.key !== null) state.byKey.set(row.key, trajectory);
}

/** A late record closes a gap, which may belong to a trajectory that the records do not name. */
function listGapOwners(state: CaptureState, prepared: readonly PreparedRecord[]): string[] {
  return prepared.flatMap(({ record }) => {
    const stream = state.streams.get(nameStream(record));
    if (stream === undefined || record.sequence >= stream.nextSequence) return [];
    const gap = stream.gaps.find(([from, to]) => record.sequence >= from && record.sequence <= to);
    return gap === undefined ? [] : [gap[2]];
  });
}

function unique(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))];
}

/** Well below what both engines take as parameters of one statement. */
const PORTION = 2_000;

async function inPortions<Row>(values: readonly string[], read: (portion: string[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < values.length; start += PORTION) {
    rows.push(...(await read(values.slice(start, start + PORTION))));
  }
  return rows;
}
