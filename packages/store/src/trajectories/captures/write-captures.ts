import { addBlobReference } from '../../blobs/blob-references.ts';
import type { Store, WriteStatement } from '../../database/store.ts';
import { insertRow, insertRows, writeSql } from '../../database/write-row.ts';
import type { LineageArrow } from '../../lineage/lineage-arrow.ts';
import { writeArrows } from '../../lineage/record-lineage.ts';
import type { TurnsTable } from '../../schema/library.ts';
import type { CaptureState, OpenTrajectory, PlannedTurn } from './capture-state.ts';
import type { CapturePlan } from './plan-captures.ts';
import type { StoredBlob } from './turn-payload.ts';

/** Turns of one trajectory in the full-text index of SQLite; later ones are kept but not searched. */
export const SEARCHED_TURNS = 65_536;

/** Ids have 36; what an application sends is not bounded otherwise. */
const MOST_ID_CHARACTERS = 100;

/** The statements of a plan, for one unit. Rows that others may write too come first and in one order, so that nobody waits in a ring. */
export function writeCaptures(options: {
  store: Store;
  tenantId: string;
  state: CaptureState;
  plan: CapturePlan;
}): WriteStatement[] {
  const { store, tenantId, state, plan } = options;
  const { dialect } = store;
  const changed = [...state.trajectories.values()]
    .filter(({ isChanged }) => isChanged)
    .sort((left, right) => (left.row.trajectory_id < right.row.trajectory_id ? -1 : 1));
  const streams = [...state.streams.entries()]
    .filter(([, { isChanged }]) => isChanged)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const tenant = { tenant_id: tenantId };
  return [
    ...streams.map(([, { recorder, stream, nextSequence, gaps, version }]) =>
      version === 0
        ? insertRow({
            dialect,
            table: 'capture_streams',
            row: {
              ...tenant,
              recorder,
              stream,
              next_sequence: nextSequence,
              gaps: JSON.stringify(gaps),
              version: 1,
              updated_at: plan.taken[0]?.record.at ?? 0,
            },
          })
        : writeSql({
            dialect,
            text: `update capture_streams set next_sequence = ?, gaps = ?, version = version + 1, updated_at = ?
              where tenant_id = ? and recorder = ? and stream = ? and version = ?`,
            parameters: [
              nextSequence,
              JSON.stringify(gaps),
              plan.taken[0]?.record.at ?? 0,
              tenantId,
              recorder,
              stream,
              version,
            ],
            expectRows: 1,
          }),
    ),
    ...changed.map((trajectory) => writeTrajectory(store, tenantId, trajectory)),
    ...insertRows({
      dialect,
      table: 'capture_records',
      rows: plan.taken.map(({ record, trajectoryId, turnIndex }) => ({
        ...tenant,
        record_id: record.record_id,
        trajectory_id: trajectoryId,
        turn_index: turnIndex,
        at: record.at,
      })),
    }),
    ...insertRows({
      dialect,
      table: 'turns',
      rows: changed.flatMap(({ newTurns }) => newTurns.map((turn) => createTurnRow(tenantId, turn))),
    }),
    ...insertRows({
      dialect,
      table: 'turn_replies',
      rows: changed.flatMap(({ newTurns }) =>
        newTurns.flatMap(({ row, replyDigests }) =>
          replyDigests.map((digest) => ({
            ...tenant,
            digest,
            trajectory_id: row.trajectory_id,
            turn_index: row.turn_index,
          })),
        ),
      ),
    }),
    ...insertRows({
      dialect,
      table: 'turn_names',
      rows: plan.names.map(({ name, trajectoryId, turnIndex }) => ({
        ...tenant,
        name,
        trajectory_id: trajectoryId,
        turn_index: turnIndex,
      })),
      suffix: 'on conflict do nothing',
    }),
    ...changed.flatMap((trajectory) => writeDetails(store, tenantId, trajectory)),
    ...writeArrows({ store, tenantId, arrows: findAnswers(plan), at: plan.taken[0]?.record.at ?? 0 }),
    ...listBlobs(changed)
      .sort((left, right) => (left.digest < right.digest ? -1 : 1))
      .map(({ digest, bytes }) => addBlobReference({ store, tenantId, digest, bytes: bytes.byteLength })),
    // Last: FTS5 keeps new words in memory and writes them out as soon as a later statement may have to be undone by itself.
    ...changed.flatMap(({ newTurns }) => newTurns.flatMap((turn) => indexWords(store, tenantId, turn))),
  ];
}

/** Which registered models answered in which trajectories: a recorder says it in `metadata.model_version_id`. */
function findAnswers({ taken }: CapturePlan): LineageArrow[] {
  const found = new Map<string, LineageArrow>();
  for (const { record, trajectoryId } of taken) {
    const model = record.kind === 'call' ? record.metadata?.['model_version_id'] : undefined;
    if (typeof model !== 'string' || model === '' || model.length > MOST_ID_CHARACTERS) continue;
    found.set(`${model} ${trajectoryId}`, {
      from: { kind: 'model', id: model },
      to: { kind: 'trajectory', id: trajectoryId },
      relation: 'answered',
    });
  }
  return [...found.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, arrow]) => arrow);
}

/** Every blob a plan refers to, once for each reference. */
export function listBlobs(trajectories: Iterable<OpenTrajectory>): StoredBlob[] {
  return [...trajectories].flatMap(({ newTurns }) =>
    newTurns.flatMap(({ encoded: { payloadBlob, contents } }) =>
      payloadBlob === null ? contents : [payloadBlob, ...contents],
    ),
  );
}

function writeTrajectory(store: Store, tenantId: string, { row, storedVersion }: OpenTrajectory): WriteStatement {
  const { dialect } = store;
  if (storedVersion !== null) {
    // Ratings are written by others and stay as they are.
    const {
      trajectory_id: id,
      version: _version,
      rating: _rating,
      feedback_count: _count,
      tags: _tags,
      ...columns
    } = row;
    return writeSql({
      dialect,
      text: `update trajectories set ${Object.keys(columns)
        .map((name) => `${name} = ?`)
        .join(', ')}, tags = ?, version = version + 1
        where tenant_id = ? and trajectory_id = ? and version = ?`,
      parameters: [...Object.values(columns), row.tags, tenantId, id, storedVersion],
      expectRows: 1,
    });
  }
  const stored = { tenant_id: tenantId, ...row };
  if (dialect === 'postgres') return insertRow({ dialect, table: 'trajectories', row: stored });
  const names = Object.keys(stored);
  return writeSql({
    dialect,
    text: `insert into trajectories (${names.join(', ')}, search_id) values (${names.map(() => '?').join(', ')},
      (select coalesce(max(search_id), 0) + 1 from trajectories))`,
    parameters: Object.values(stored),
  });
}

function writeDetails(store: Store, tenantId: string, trajectory: OpenTrajectory): WriteStatement[] {
  const { dialect } = store;
  const { trajectory_id: trajectoryId } = trajectory.row;
  const ids = { tenant_id: tenantId, trajectory_id: trajectoryId };
  return [
    ...[...trajectory.newTags].map((tag) =>
      insertRow({ dialect, table: 'trajectory_tags', row: { ...ids, tag }, suffix: 'on conflict do nothing' }),
    ),
    ...[...trajectory.newToolCalls].map(([tool, count]) =>
      insertRow({
        dialect,
        table: 'tool_calls',
        row: { ...ids, tool, call_count: count },
        suffix:
          'on conflict (tenant_id, tool, trajectory_id) do update set call_count = tool_calls.call_count + excluded.call_count',
      }),
    ),
  ];
}

function createTurnRow(tenantId: string, { row, encoded }: PlannedTurn): TurnsTable {
  const { payload, payloadBlob, contents } = encoded;
  return {
    tenant_id: tenantId,
    ...row,
    payload,
    payload_digest: payloadBlob?.digest ?? null,
    payload_bytes: (payloadBlob?.bytes ?? payload)?.byteLength ?? null,
    content_digests: contents.length === 0 ? null : JSON.stringify(contents.map(({ digest }) => digest)),
  };
}

function indexWords({ dialect }: Store, tenantId: string, { row, words }: PlannedTurn): WriteStatement[] {
  const { trajectory_id: trajectoryId, turn_index: turnIndex } = row;
  if (words === '' || turnIndex >= SEARCHED_TURNS) return [];
  if (dialect === 'postgres') {
    return [
      writeSql({
        dialect,
        text: `insert into turn_search (tenant_id, trajectory_id, turn_index, body)
          values (?, ?, ?, to_tsvector('simple', cast(? as text)))`,
        parameters: [tenantId, trajectoryId, turnIndex, words],
      }),
    ];
  }
  return [
    writeSql({
      dialect,
      text: `insert into turn_search (rowid, body) values
        ((select search_id from trajectories where tenant_id = ? and trajectory_id = ?) * ${SEARCHED_TURNS} + ?, ?)`,
      parameters: [tenantId, trajectoryId, turnIndex, words],
    }),
  ];
}
