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
  /** Whose payloads they are; each thread looks before it opens them. */
  libraryId: string;
  /** Threads; each computes one job at a time and has the next one at hand. */
  size?: number;
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
  const { size = 2, blobPlace, libraryId, limits = defaultIngestLimits } = options;
  const { jobTimeoutMs = 120_000, workerUrl = DEFAULT_WORKER_URL } = options;
  const workerData: WorkerSettings = { blobPlace, libraryId, limits };
  const pool = createWorkerPool<Jobs>({
    ...{ workerUrl, workerData, size, jobTimeoutMs, jobsPerWorker: JOBS_PER_WORKER, startsAhead: true },
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
    toError: (failure) => new IngestWorkerError(failure),
  });

  // A trainer waits for its batch with idle hardware, an environment does not: replies go before bodies.
  return {
    ingest: ({ body, ...rest }) => {
      const owned = takeBytes(body);
      return pool.run({ kind: 'ingest', request: { ...rest, body: owned } }, { transfer: [owned.buffer] });
    },
    storePacked: ({ body }) => {
      const owned = takeBytes(body);
      return pool.run({ kind: 'storePacked', request: { body: owned } }, { transfer: [owned.buffer] });
    },
    assemble: async (request) => requireWhole(await pool.run({ kind: 'assemble', request }, { isUrgent: true })),
    readFrames: async (request) => requireWhole(await pool.run({ kind: 'readFrames', request }, { isUrgent: true })),
    close: pool.close,
  };
}

function requireWhole(reply: AssembledReply | BrokenPayloads): AssembledReply {
  if ('kind' in reply) throw new BrokenPayloadsError(reply.digests);
  return reply;
}
