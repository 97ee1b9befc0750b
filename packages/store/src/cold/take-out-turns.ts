import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { dropColdFile } from './cold-files.ts';
import { readColdTurns } from './cold-turns.ts';
import { keepTurns, type KeptTurns } from './keep-turns.ts';

/**
 * What takes trajectories out of the files that hold their turns: each file is written again without them, and the turns that stay are pointed to the
 * new one. The statements go into the unit that deletes the rows; `replaced` are the files that nobody refers to after it.
 */
export async function planTakeOut(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryIds: readonly string[];
  digests: readonly string[];
}): Promise<KeptTurns & { replaced: string[] }> {
  const { store, blobs, tenantId } = options;
  const out = new Set(options.trajectoryIds);
  const replaced = [...new Set(options.digests)].sort();
  const statements: WriteStatement[] = [];
  const digests: string[] = [];
  for (const digest of replaced) {
    const rest = (await readColdTurns(blobs, digest)).filter((turn) => !out.has(turn.trajectory_id));
    const kept = await keepTurns(options, rest);
    statements.push(...dropColdFile({ store, tenantId }, digest), ...kept.statements);
    digests.push(...kept.digests);
  }
  return { statements, digests, replaced };
}
