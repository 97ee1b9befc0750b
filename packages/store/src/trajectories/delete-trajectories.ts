import { planTakeOut } from '../cold/take-out-turns.ts';
import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { removeUnreferenced } from './remove-unreferenced.ts';
import { SEARCHED_TURNS } from './captures/write-captures.ts';

/** Tables whose rows belong to a trajectory, besides its turns; the trajectory itself comes last. */
const OWN_TABLES = ['turn_names', 'turn_replies', 'tool_calls', 'trajectory_tags', 'feedback', 'trajectories'] as const;

/** Others may write the same files again, or move turns into one, just then. */
const TRIES = 5;

interface DeleteOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryIds: readonly string[];
  /** Goes into the same commit. */
  besides?: readonly WriteStatement[];
}

/** Deletes trajectories with everything that is theirs, in one commit, and then the blobs that nobody refers to. */
export async function deleteTrajectories(options: DeleteOptions): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deleteOnce(options);
    } catch (error) {
      const isOvertaken = StaleWriteError.isInstance(error) || BlobMissingError.isInstance(error);
      if (!isOvertaken || tries === TRIES) throw error;
    }
  }
}

async function deleteOnce(options: DeleteOptions): Promise<void> {
  const { store, blobs, tenantId, trajectoryIds, besides = [] } = options;
  const { db, dialect } = store;
  const turns = await db
    .selectFrom('turns')
    .select(['trajectory_id', 'payload_digest', 'content_digests', 'cold_row'])
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', 'in', trajectoryIds)
    .execute();
  const digests = turns
    .flatMap(({ payload_digest: payload, content_digests: contents, cold_row: row }) => [
      ...(payload === null || row !== null ? [] : [payload]),
      ...(contents === null ? [] : (JSON.parse(contents) as string[])),
    ])
    .sort();
  const files = turns.flatMap((turn) => (turn.cold_row === null ? [] : (turn.payload_digest ?? [])));
  const takeOut = await planTakeOut({ store, blobs, tenantId, trajectoryIds, digests: files });
  const turnsOf = Map.groupBy(turns, (turn) => turn.trajectory_id);
  const statements = [
    ...besides,
    ...takeOut.statements,
    ...trajectoryIds.flatMap((id) => [
      ...forgetWords(store, tenantId, id),
      ...forgetStream(store, tenantId, id),
      ...deleteTurns(store, tenantId, id, turnsOf.get(id) ?? []),
      ...OWN_TABLES.map((table) =>
        writeSql({
          dialect,
          text: `delete from ${table} where tenant_id = ? and trajectory_id = ?`,
          parameters: [tenantId, id],
        }),
      ),
    ]),
    ...digests.map((digest) => dropBlobReference({ store, tenantId, digest })),
  ];
  try {
    await store.commit({ statements });
  } catch (error) {
    // What was written again holds what another just forgets.
    for (const digest of takeOut.digests) await removeUnreferenced({ store, blobs, digest });
    throw error;
  }
  for (const digest of new Set([...digests, ...takeOut.replaced])) await removeUnreferenced({ store, blobs, digest });
}

/** Just the turns that were read, each where it was: one that was moved into a file since, or came since, has us begin again. */
function deleteTurns(
  { dialect }: Store,
  tenantId: string,
  trajectoryId: string,
  turns: readonly { cold_row: number | null }[],
): WriteStatement[] {
  const hot = turns.filter((turn) => turn.cold_row === null).length;
  const from = 'delete from turns where tenant_id = ? and trajectory_id = ?';
  const parameters = [tenantId, trajectoryId];
  return [
    writeSql({ dialect, text: `${from} and cold_row is null`, parameters, expectRows: hot }),
    writeSql({ dialect, text: from, parameters, expectRows: turns.length - hot }),
  ];
}

function forgetWords({ dialect }: Store, tenantId: string, trajectoryId: string): WriteStatement[] {
  if (dialect === 'postgres') {
    return [
      writeSql({
        dialect,
        text: 'delete from turn_search where tenant_id = ? and trajectory_id = ?',
        parameters: [tenantId, trajectoryId],
      }),
    ];
  }
  return [
    writeSql({
      dialect,
      text: `delete from turn_search where rowid in (
        select t.search_id * ${SEARCHED_TURNS} + u.turn_index from trajectories t
        join turns u on u.tenant_id = t.tenant_id and u.trajectory_id = t.trajectory_id
        where t.tenant_id = ? and t.trajectory_id = ? and u.turn_index < ${SEARCHED_TURNS})`,
      parameters: [tenantId, trajectoryId],
    }),
  ];
}

/** The stream of a key has the key in it, and with it perhaps a name. */
function forgetStream({ dialect }: Store, tenantId: string, trajectoryId: string): WriteStatement[] {
  return [
    writeSql({
      dialect,
      text: `delete from capture_streams where tenant_id = ? and stream <> '' and stream in (
        select key from trajectories where tenant_id = ? and trajectory_id = ? and key is not null)`,
      parameters: [tenantId, tenantId, trajectoryId],
    }),
  ];
}
