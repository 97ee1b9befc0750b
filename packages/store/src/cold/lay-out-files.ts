import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import type { TrajectoriesTable } from '../schema/library.ts';
import { COLD_KINDS, type ColdKind } from '../schema/platform.ts';
import { listColdFiles } from './cold-files.ts';
import { writeColdGroups } from './cold-groups.ts';
import { writeColdTurns } from './cold-turns.ts';
import { writeColdFile, type ColumnKind } from './parquet-file.ts';

/** Parquet files in a folder, by what they hold; of each there is one at least, so that its columns are known. */
export interface LaidOutFiles {
  turns: string[];
  groups: string[];
  trajectories: string[];
  bytes: number;
}

const PORTION = 2_000;

const COLUMNS = {
  trajectory_id: 'text',
  run_id: 'text',
  source: 'text',
  model: 'text',
  user_name: 'text',
  title: 'text',
  outcome: 'text',
  split: 'text',
  consent: 'text',
  tags: 'text',
  reward: 'number',
  rating: 'number',
  feedback_count: 'whole',
  turn_count: 'whole',
  tool_call_count: 'whole',
  error_count: 'whole',
  token_count: 'whole',
  completion_tokens: 'whole',
  cost: 'number',
  started_at: 'time',
  updated_at: 'time',
} as const satisfies Partial<Record<keyof TrajectoriesTable, ColumnKind>>;

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Copies what left the database into a folder, and writes the rows of recorded trajectories beside it: what any reader of Parquet asks questions of. */
export async function layOutFiles(options: {
  store: Store;
  blobs: Pick<BlobStore, 'get'>;
  tenantId: string;
  folder: string;
}): Promise<LaidOutFiles> {
  const { store, blobs, tenantId, folder } = options;
  const laid: LaidOutFiles = { turns: [], groups: [], trajectories: [], bytes: 0 };
  const write = async (kind: ColdKind | 'trajectories', name: string, bytes: Uint8Array): Promise<void> => {
    await mkdir(join(folder, kind), { recursive: true });
    const path = join(folder, kind, `${name}.parquet`);
    await writeFile(path, bytes);
    laid[kind].push(path);
    laid.bytes += bytes.byteLength;
  };
  await write('turns', 'none', (await writeColdTurns([])).bytes);
  await write('groups', 'none', (await writeColdGroups([])).bytes);
  for (const kind of COLD_KINDS) {
    for (const { digest } of await listColdFiles({ store, tenantId, kind })) {
      await write(kind, digest, await blobs.get(digest));
    }
  }
  let after = '';
  for (let part = 0; ; part += 1) {
    const rows = await store.db
      .selectFrom('trajectories')
      .select(NAMES)
      .where('tenant_id', '=', tenantId)
      .where('trajectory_id', '>', after)
      .orderBy('trajectory_id')
      .limit(PORTION)
      .execute();
    await write('trajectories', String(part), (await writeColdFile<(typeof rows)[number]>(COLUMNS, rows)).bytes);
    if (rows.length < PORTION) return laid;
    after = rows.at(-1)!.trajectory_id;
  }
}
