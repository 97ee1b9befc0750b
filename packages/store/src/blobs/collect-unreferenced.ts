import type { Store } from '../database/store.ts';
import type { LibraryBlobs } from './blob-store.ts';
import type { OrphanReport } from './collect-orphans.ts';

export interface CollectUnreferencedOptions {
  store: Store;
  blobs: Pick<LibraryBlobs, 'has' | 'removeIfOlder'>;
  /** Younger blobs are left alone: somebody may have put them again, and the row is not committed yet. */
  graceMs: number;
  now?: () => number;
}

const PAGE = 500;

/**
 * Removes blobs whose last reference was given up, by the rows that say so, and then those rows: what it costs follows what was
 * given up and not what there is. What never had a row is found by `collectOrphans` alone. May die anywhere: a row goes after its
 * blob.
 */
export async function collectUnreferenced(options: CollectUnreferencedOptions): Promise<OrphanReport> {
  const { store, blobs, graceMs, now = Date.now } = options;
  const modifiedBeforeMs = now() - graceMs;
  const report: OrphanReport = { removedBlobs: 0, removedBytes: 0, removedLeftovers: 0 };
  let after = '';
  for (;;) {
    const rows = await store.db
      .selectFrom('blob_references')
      .select(({ fn }) => ['digest', fn.max('bytes').as('bytes')])
      .where('digest', '>', after)
      .groupBy('digest')
      .having(({ fn }) => fn.sum('reference_count'), '=', 0)
      .orderBy('digest')
      .limit(PAGE)
      .execute();
    for (const { digest, bytes } of rows) {
      const isRemoved = await blobs.removeIfOlder(digest, modifiedBeforeMs);
      if (!isRemoved && (await blobs.has(digest))) continue;
      if (isRemoved) {
        report.removedBlobs += 1;
        report.removedBytes += bytes;
      }
      await store.db
        .deleteFrom('blob_references')
        .where('digest', '=', digest)
        .where('reference_count', '=', 0)
        .execute();
    }
    if (rows.length < PAGE) return report;
    after = rows.at(-1)!.digest;
  }
}
