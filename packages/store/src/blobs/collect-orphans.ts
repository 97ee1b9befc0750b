import type { BlobEntry, CollectableBlobs } from './blob-store.ts';

/** Longer than any put waits for its row to be committed, by orders of magnitude. */
const DEFAULT_GRACE_MS = 3_600_000;

export interface CollectOrphansOptions {
  blobs: CollectableBlobs;
  /** Whether any row refers to the digest. */
  isReferenced: (digest: string) => Promise<boolean>;
  /** Whether a blob that no row refers to may be somebody else's, and stays. Default: none is. */
  isStrange?: (blob: BlobEntry) => Promise<boolean>;
  /** Younger blobs are left alone: their row may not be committed yet. */
  graceMs?: number;
  /** Says what would be removed, and removes nothing. */
  isDryRun?: boolean;
  /** The clock of the file system's machine, milliseconds since the epoch. */
  now?: () => number;
}

export interface OrphanReport {
  removedBlobs: number;
  removedBytes: number;
  /** Pieces that interrupted writes had left. */
  removedLeftovers: number;
}

/** Removes blobs that no row refers to. May run beside writers, and may die anywhere: the next run goes on. */
export async function collectOrphans(options: CollectOrphansOptions): Promise<OrphanReport> {
  const { blobs, isReferenced, isStrange, isDryRun = false, graceMs = DEFAULT_GRACE_MS, now = Date.now } = options;
  const modifiedBeforeMs = now() - graceMs;
  const removedLeftovers = isDryRun ? 0 : await blobs.removeLeftovers(modifiedBeforeMs, isReferenced);
  const report = { removedBlobs: 0, removedBytes: 0, removedLeftovers };
  for await (const blob of blobs.list()) {
    const { digest, bytes, modifiedAtMs } = blob;
    if (modifiedAtMs >= modifiedBeforeMs || (await isReferenced(digest))) continue;
    if ((await isStrange?.(blob)) === true) continue;
    if (isDryRun || (await blobs.removeIfOlder(digest, modifiedBeforeMs))) {
      report.removedBlobs += 1;
      report.removedBytes += bytes;
    }
  }
  return report;
}
