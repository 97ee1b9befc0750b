import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';
import { commitUnlessStale } from '../database/commit-unless-stale.ts';
import type { TrajectoriesTable } from '../schema/library.ts';
import { unpackText } from '../trajectories/captures/turn-payload.ts';
import { eraseDeletedPages, eraseOnDelete } from '../trajectories/erase-deleted-pages.ts';
import { selectExpired, type ExpireTrajectoriesOptions } from '../trajectories/expire-trajectories.ts';
import { readTurnPayload } from '../trajectories/read-turns.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';
import type { ColdTurn } from './cold-turns.ts';
import { keepTurns } from './keep-turns.ts';

/** Trajectories whose contents are read together: long ones are some megabytes each. */
const PORTION = 50;
/** A file is closed above either: whoever reads one turn of it reads all of it. */
const MOST_TURNS = 2_000;
const MOST_CHARACTERS = 4_000_000;

const NAMED = ['trajectory_id', 'version', 'source', 'model', 'user_name', 'run_id'] as const;
type Trajectory = Pick<TrajectoriesTable, (typeof NAMED)[number]>;

/** A trajectory whose turns can go, with what they hold. */
interface Movable {
  trajectory: Trajectory;
  turns: (ColdTurn & { payloadDigest: string | null })[];
}

/**
 * Moves the contents of turns into Parquet files among the payloads, of trajectories in which nothing happened since `olderThan`.
 * Their rows stay: lists, searches, exports and continued conversations find them as before. May die anywhere: a file and the rows
 * that name it are one commit.
 */
export async function moveTurns(
  options: ExpireTrajectoriesOptions & {
    tenantId: string;
    /** What happened last before then goes altogether; 0 by default. */
    goneBefore?: number;
  },
): Promise<{ cold: number }> {
  const { store, tenantId, goneBefore = 0, isDryRun = false } = options;
  const report = { cold: 0 };
  const hot = selectExpired(options)
    .where('updated_at', '>=', goneBefore)
    .where((eb) => eb.or([eb('cold_version', 'is', null), eb('cold_version', '<>', eb.ref('version'))]));
  if (isDryRun) {
    const { count } = await hot.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow();
    return { cold: Number(count) };
  }
  await eraseOnDelete(store);
  let open: Movable[] = [];
  const close = async (): Promise<void> => {
    if (open.length > 0 && (await moveTogether(options, open))) report.cold += open.length;
    open = [];
  };
  let after = '';
  for (;;) {
    const rows = await hot
      .select(NAMED)
      .where('tenant_id', '=', tenantId)
      .where('trajectory_id', '>', after)
      .orderBy('trajectory_id')
      .limit(PORTION)
      .execute();
    for (const one of await readMovable(options, rows)) {
      if (isFull([...open, one])) await close();
      open.push(one);
    }
    if (rows.length < PORTION) break;
    after = rows.at(-1)!.trajectory_id;
  }
  await close();
  if (report.cold > 0 && store.dialect === 'sqlite') await eraseDeletedPages(store);
  return report;
}

function isFull(movable: readonly Movable[]): boolean {
  const turns = movable.flatMap((one) => one.turns);
  return turns.length > MOST_TURNS || turns.reduce((sum, { content }) => sum + content.length, 0) > MOST_CHARACTERS;
}

async function readMovable(
  options: { store: Store; blobs: BlobStore; tenantId: string },
  trajectories: readonly Trajectory[],
): Promise<Movable[]> {
  const { store, blobs, tenantId } = options;
  if (trajectories.length === 0) return [];
  const ids = trajectories.map((row) => row.trajectory_id);
  const rows = await store.db
    .selectFrom('turns')
    .select(['trajectory_id', 'turn_index', 'role', 'at', 'token_count', 'payload', 'payload_digest', 'cold_row'])
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', 'in', ids)
    .where('cold_row', 'is', null)
    .orderBy('trajectory_id')
    .orderBy('turn_index')
    .execute();
  const turnsOf = Map.groupBy(rows, (row) => row.trajectory_id);
  const movable: Movable[] = [];
  for (const trajectory of trajectories) {
    const turns: Movable['turns'] = [];
    try {
      for (const row of turnsOf.get(trajectory.trajectory_id) ?? []) {
        const bytes = row.payload ?? (await readTurnPayload(row, blobs));
        if (bytes === undefined) continue;
        turns.push({
          ...{ trajectory_id: row.trajectory_id, turn_index: row.turn_index, role: row.role, at: row.at },
          ...{ source: trajectory.source, model: trajectory.model, user_name: trajectory.user_name },
          ...{ run: trajectory.run_id, token_count: row.token_count },
          ...{ content: typeof bytes === 'string' ? bytes : unpackText(bytes), payloadDigest: row.payload_digest },
        });
      }
    } catch (error) {
      // What cannot be read stays where it is: the export says so, and so does `verify`.
      if (!BlobMissingError.isInstance(error)) throw error;
      continue;
    }
    movable.push({ trajectory, turns });
  }
  return movable;
}

/** One file and one commit. Who was written to meanwhile stays as it is, and so do its neighbours: the next round takes them. */
async function moveTogether(
  options: { store: Store; blobs: BlobStore; tenantId: string },
  movable: readonly Movable[],
): Promise<boolean> {
  const { store, blobs, tenantId } = options;
  const turns = movable.flatMap((one) => one.turns);
  const digests = turns.flatMap(({ payloadDigest }) => payloadDigest ?? []).sort();
  const kept = await keepTurns(options, turns);
  const isMoved = await commitUnlessStale(store, {
    statements: [
      ...movable.map(({ trajectory }) => markCold(store, tenantId, trajectory)),
      ...kept.statements,
      ...digests.map((digest) => dropBlobReference({ store, tenantId, digest })),
    ],
  });
  for (const digest of new Set(isMoved ? digests : kept.digests)) await removeUnreferenced({ store, blobs, digest });
  return isMoved;
}

function markCold({ dialect }: Store, tenantId: string, { trajectory_id: id, version }: Trajectory): WriteStatement {
  return writeSql({
    dialect,
    text: 'update trajectories set cold_version = version where tenant_id = ? and trajectory_id = ? and version = ?',
    parameters: [tenantId, id, version],
    expectRows: 1,
  });
}
