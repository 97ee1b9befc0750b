import { prepareBlobDirectory } from '@lachesis/store/blobs';
import { Worker } from 'node:worker_threads';
import type { AssembledReply } from '../reply/assemble-batch.ts';
import { BrokenPayloadsError, IngestWorkerError } from './ingest-errors.ts';
import type { PooledIngest } from './ingest-job.ts';
import type { AssembleRequest, BrokenPayloads } from './reply-jobs.ts';
import type { PooledPacked } from './store-packed-job.ts';
import { defaultIngestLimits } from './ingest-limits.ts';
import type { IngestLimits } from './ingest-limits.ts';
import type { JobAnswer, JobKind, JobMessage, JobOrder, Jobs, WorkerSettings } from './ingest-messages.ts';

export { BrokenPayloadsError, IngestWorkerError } from './ingest-errors.ts';
export type { PooledIngest } from './ingest-job.ts';
export type { PooledPacked, PooledPackedGroup } from './store-packed-job.ts';

export interface IngestPoolOptions {
  blobDirectory: string;
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

interface PendingJob {
  message: JobMessage;
  transfer: ArrayBuffer[];
  resolve(result: Jobs[JobKind]['result']): void;
  reject(error: IngestWorkerError): void;
}

/** What a worker keeps on V8's heap is small, its buffers live outside; a runaway ends alone instead of with the process. */
const WORKER_HEAP_MB = 128;

/** Buffers die with the small objects that own them: collecting those often keeps about 60 MB less resident. */
const WORKER_YOUNG_MB = 4;

/** While one job of a worker waits for the disk, another computes. More would only wait in line there instead of here. */
const JOBS_PER_WORKER = 2;

const DEFAULT_WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './ingest-worker.ts' : './ingest-worker.js',
  import.meta.url,
);

export function createIngestPool(options: IngestPoolOptions): IngestPool {
  const { size = 2, blobDirectory, limits = defaultIngestLimits } = options;
  const { jobTimeoutMs = 120_000, workerUrl = DEFAULT_WORKER_URL } = options;
  const settings: WorkerSettings = { blobDirectory, limits };
  prepareBlobDirectory(blobDirectory);
  /** The jobs each worker has, by number. */
  const workers = new Map<Worker, Map<number, PendingJob>>();
  const waiting: PendingJob[] = [];
  let lastId = 0;
  let closing: Promise<void> | null = null;
  let settled: (() => void) | null = null;

  function startWorker(): Worker {
    const worker = new Worker(workerUrl, {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
    });
    workers.set(worker, new Map());
    worker.on('message', (answer: JobAnswer) => finishJob(worker, answer));
    worker.on('error', (error) => loseWorker(worker, 'crashed', error.message, error));
    worker.on('exit', (code) => loseWorker(worker, 'crashed', `it exited with code ${code}`));
    // An idle pool does not keep a process alive; a job does, through whoever awaits it.
    worker.unref();
    return worker;
  }

  /** An idle worker, else a new one, else the one with the fewest jobs; undefined when all have enough. */
  function findWorker(): Worker | undefined {
    const [least] = [...workers].toSorted(([, left], [, right]) => left.size - right.size);
    if (least !== undefined && least[1].size === 0) return least[0];
    if (workers.size < size) return startWorker();
    return least !== undefined && least[1].size < JOBS_PER_WORKER ? least[0] : undefined;
  }

  function assignJobs(): void {
    while (waiting.length > 0) {
      const worker = findWorker();
      if (worker === undefined) return;
      const job = waiting.shift()!;
      const timer = setTimeout(() => loseWorker(worker, 'timed-out', `after ${jobTimeoutMs} ms`), jobTimeoutMs);
      const { resolve, reject } = job;
      job.resolve = (result) => (clearTimeout(timer), resolve(result));
      job.reject = (error) => (clearTimeout(timer), reject(error));
      workers.get(worker)?.set(job.message.id, job);
      worker.ref();
      worker.postMessage(job.message, job.transfer);
    }
    if ([...workers.values()].every((jobs) => jobs.size === 0)) settled?.();
  }

  function finishJob(worker: Worker, answer: JobAnswer): void {
    const jobs = workers.get(worker);
    const job = jobs?.get(answer.id);
    if (jobs === undefined || job === undefined) return;
    jobs.delete(answer.id);
    if (jobs.size === 0) worker.unref();
    if ('result' in answer) job.resolve(answer.result);
    else {
      const cause = Object.assign(new Error(answer.failure.message), { stack: answer.failure.stack });
      job.reject(new IngestWorkerError({ reason: 'failed', detail: answer.failure.message, cause }));
    }
    assignJobs();
  }

  /** Its jobs are rejected; the next job starts another worker, so one that cannot start costs its jobs each time. */
  function loseWorker(worker: Worker, reason: 'crashed' | 'timed-out', detail: string, cause?: unknown): void {
    const jobs = workers.get(worker);
    if (jobs === undefined) return;
    workers.delete(worker);
    void worker.terminate();
    for (const job of jobs.values()) job.reject(new IngestWorkerError({ reason, detail, cause }));
    assignJobs();
  }

  function run<Kind extends JobKind>(
    order: JobOrder & { kind: Kind },
    { transfer = [], isUrgent = false }: { transfer?: ArrayBuffer[]; isUrgent?: boolean } = {},
  ): Promise<Jobs[Kind]['result']> {
    if (closing) return Promise.reject(new IngestWorkerError({ reason: 'closed', detail: 'the server is stopping' }));
    return new Promise((resolve, reject) => {
      const job: PendingJob = { message: { ...order, id: (lastId += 1) }, transfer, resolve, reject };
      // A trainer waits for its batch with idle hardware, an environment does not: replies go before bodies.
      if (isUrgent) waiting.unshift(job);
      else waiting.push(job);
      assignJobs();
    });
  }

  // Off the path of whoever waits for the server to be ready, and before the first body has to wait for a thread.
  setImmediate(() => {
    if (closing !== null) return;
    while (workers.size < size) startWorker();
  }).unref();

  return {
    ingest: ({ body, ...rest }) => {
      const owned = takeBytes(body);
      return run({ kind: 'ingest', request: { ...rest, body: owned } }, { transfer: [owned.buffer] });
    },
    storePacked: ({ body }) => {
      const owned = takeBytes(body);
      return run({ kind: 'storePacked', request: { body: owned } }, { transfer: [owned.buffer] });
    },
    assemble: async (request) => requireWhole(await run({ kind: 'assemble', request }, { isUrgent: true })),
    readFrames: async (request) => requireWhole(await run({ kind: 'readFrames', request }, { isUrgent: true })),
    close: () => {
      closing ??= new Promise<void>((resolve) => {
        settled = resolve;
        assignJobs();
      }).then(async () => {
        const ended = [...workers.keys()];
        workers.clear();
        await Promise.all(ended.map((worker) => worker.terminate()));
      });
      return closing;
    },
  };
}

function requireWhole(reply: AssembledReply | BrokenPayloads): AssembledReply {
  if ('kind' in reply) throw new BrokenPayloadsError(reply.digests);
  return reply;
}

/** The bytes in a buffer of their own, which can be transferred; Node's small buffers share one that cannot. */
function takeBytes(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(body);
}
