import { createWorkerPool, takeBytes } from '../../http/threads/worker-pool.ts';
import type { AssembledReply } from '../reply/assemble-batch.ts';
import { BrokenPayloadsError, IngestWorkerError } from './ingest-errors.ts';
import type { PooledIngest } from './ingest-job.ts';
import type { AssembleRequest, BrokenPayloads } from './reply-jobs.ts';
import type { PooledPacked } from './store-packed-job.ts';
import { defaultIngestLimits } from './ingest-limits.ts';
import type { IngestLimits } from './ingest-limits.ts';
import type { Jobs, WorkerSettings } from './ingest-messages.ts';

export { BrokenPayloadsError, IngestWorkerError } from './ingest-errors.ts';
export type { PooledIngest } from './ingest-job.ts';
export type { PooledPacked, PooledPackedGroup } from './store-packed-job.ts';

export interface IngestPoolOptions {
  /** Where payloads are, prepared. */
  blobPlace: string;
  /** A folder for payloads that were fetched from afar. */
  blobCache?: string | undefined;
  /** Whose payloads they are; each thread looks before it opens them. */
  libraryId: string;
  /** Threads; each computes one job at a time and has the next one at hand. */
  size?: number;
  /** One that computes, and those that wait for the place of the payloads. */
  jobsPerWorker?: number;
  limits?: IngestLimits;
  /** A job that takes longer is stuck: its worker is ended. 4 MB of JSON take 65 ms, so the largest body takes about 5 s. */
  jobTimeoutMs?: number;
  /** Replaced by tests. */
  workerUrl?: URL;
}

/** Everything heavy, away from the event loop. Bodies handed in are transferred: the caller's view is empty afterwards. */
export interface IngestPool {
  /** Resolves when every group of the body is on disk, or with the reason why none counts. */
  ingest(request: { body: Uint8Array; encoding: 'identity' | 'gzip'; shape: 'one' | 'list' }): Promise<PooledIngest>;
  /** Resolves when the packed group is on disk, or with what is wrong with it. */
  storePacked(request: { body: Uint8Array }): Promise<PooledPacked>;
  /** Throws BrokenPayloadsError. */
  assemble(request: AssembleRequest): Promise<AssembledReply>;
  /** Throws BrokenPayloadsError. */
  readFrames(request: { digests: readonly string[] }): Promise<AssembledReply>;
  /** Refuses new jobs, finishes those it has, and ends the threads. */
  close(): Promise<void>;
}

/** What a worker keeps on V8's heap is small, its buffers live outside; a runaway ends alone instead of with the process. */
const WORKER_HEAP_MB = 128;

/** Buffers die with the small objects that own them: collecting those often keeps about 60 MB less resident. */
const WORKER_YOUNG_MB = 4;

/** One that computes, and one that waits for the disk. */
const JOBS_PER_WORKER = 2;

const DEFAULT_WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './ingest-worker.ts' : './ingest-worker.js',
  import.meta.url,
);

export function createIngestPool(options: IngestPoolOptions): IngestPool {
  const {
    size = 2,
    jobsPerWorker = JOBS_PER_WORKER,
    blobPlace,
    blobCache,
    libraryId,
    limits = defaultIngestLimits,
  } = options;
  const { jobTimeoutMs = 120_000, workerUrl = DEFAULT_WORKER_URL } = options;
  const workerData: WorkerSettings = { blobPlace, blobCache, libraryId, limits };
  const pool = createWorkerPool<Jobs>({
    ...{ workerUrl, workerData, size, jobTimeoutMs, jobsPerWorker, startsAhead: true },
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
    toError: (failure) => new IngestWorkerError(failure),
  });

  const checksums = createChecksums();
  // A trainer waits for its batch with idle hardware, an environment does not: replies go before bodies.
  return {
    ingest: async ({ body, ...rest }) => {
      const owned = takeBytes(body);
      const request = { ...rest, body: owned };
      const result = await pool.run({ kind: 'ingest', request }, { transfer: [owned.buffer] });
      if (result.kind === 'groups')
        result.groups.forEach(({ digest }, index) => checksums.add(digest, result.crc32s[index]!));
      return result;
    },
    storePacked: async ({ body }) => {
      const owned = takeBytes(body);
      const result = await pool.run({ kind: 'storePacked', request: { body: owned } }, { transfer: [owned.buffer] });
      if (result.kind === 'stored') checksums.add(result.group.digest, result.crc32);
      return result;
    },
    assemble: async ({ digests, ...rest }) => {
      const request = { ...rest, digests, crc32s: checksums.find(digests) };
      return requireWhole(await pool.run({ kind: 'assemble', request }, { isUrgent: true }));
    },
    readFrames: async ({ digests }) => {
      const request = { digests, crc32s: checksums.find(digests) };
      return requireWhole(await pool.run({ kind: 'readFrames', request }, { isUrgent: true }));
    },
    close: pool.close,
  };
}

/** About 3 MB of them; a run with more groups waiting has its oldest ones checked against their digests. */
const MAX_CHECKSUMS = 16_384;

/**
 * Checksums of payloads that this process wrote. Reading one back, a CRC-32 finds damage as surely as the digest does, and in
 * a tenth of the time where the processor has no instructions for SHA.
 */
function createChecksums(): {
  add(digest: string, crc32: number): void;
  find(digests: readonly string[]): (number | undefined)[];
} {
  const known = new Map<string, number>();
  return {
    add: (digest, crc32) => {
      known.set(digest, crc32);
      if (known.size > MAX_CHECKSUMS) known.delete(known.keys().next().value!);
    },
    find: (digests) => digests.map((digest) => known.get(digest)),
  };
}

function requireWhole(reply: AssembledReply | BrokenPayloads): AssembledReply {
  if ('kind' in reply) throw new BrokenPayloadsError(reply.digests);
  return reply;
}
