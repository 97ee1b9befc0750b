import type { CollectableBlobs } from './blob-store.ts';

/** Longer than any put waits for its row to be committed, by orders of magnitude. */
const DEFAULT_GRACE_MS = 3_600_000;

export interface CollectOrphansOptions {
  blobs: CollectableBlobs;
  /** Whether any row refers to the digest. */
  isReferenced: (digest: string) => Promise<boolean>;
  /** Younger blobs are left alone: their row may not be committed yet. */
  graceMs?: number;
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
  const { blobs, isReferenced, graceMs = DEFAULT_GRACE_MS, now = Date.now } = options;
  const modifiedBeforeMs = now() - graceMs;
  const report = { removedBlobs: 0, removedBytes: 0, removedLeftovers: await blobs.removeLeftovers(modifiedBeforeMs) };
  for await (const { digest, bytes, modifiedAtMs } of blobs.list()) {
    if (modifiedAtMs >= modifiedBeforeMs || (await isReferenced(digest))) continue;
    if (await blobs.removeIfOlder(digest, modifiedBeforeMs)) {
      report.removedBlobs += 1;
      report.removedBytes += bytes;
    }
  }
  return report;
}
