import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { addColdFile } from './cold-files.ts';
import { writeColdTurns, type ColdTurn } from './cold-turns.ts';

/** What makes a file that was put the place of some turns. */
export interface KeptTurns {
  statements: WriteStatement[];
  /** The file, which nobody refers to until the statements are committed; of no turns there is none. */
  digests: string[];
}

/** Puts a file of these turns, and says in which rows they are found from now on. */
export async function keepTurns(
  { store, blobs, tenantId }: { store: Store; blobs: BlobStore; tenantId: string },
  turns: readonly ColdTurn[],
): Promise<KeptTurns> {
  if (turns.length === 0) return { statements: [], digests: [] };
  const { digest, bytes } = await writeColdTurns(turns);
  await blobs.put(digest, bytes);
  const about = { digest, kind: 'turns', runId: null, rows: turns.length, bytes: bytes.byteLength } as const;
  const lastAt = turns.reduce((latest, { at }) => Math.max(latest, at), 0);
  const statements = [
    ...turns.map((turn, row) =>
      writeSql({
        dialect: store.dialect,
        text: 'update turns set payload = null, payload_digest = ?, cold_row = ? where tenant_id = ? and trajectory_id = ? and turn_index = ?',
        parameters: [digest, row, tenantId, turn.trajectory_id, turn.turn_index],
        expectRows: 1,
      }),
    ),
    ...addColdFile({ store, tenantId }, { ...about, lastAt }),
  ];
  return { statements, digests: [digest] };
}
