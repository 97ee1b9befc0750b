import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { JobAnswer, JobMessage, JobOrder, JobTable } from './job-messages.ts';

/** Why a job has no result. */
export interface JobFailure {
  reason: 'failed' | 'crashed' | 'timed-out' | 'closed';
  detail: string;
  /** The same job may succeed later: what it needs is away. */
  isRetryable?: boolean;
  cause?: unknown;
}

export interface WorkerPoolOptions {
  workerUrl: URL;
  workerData?: unknown;
  /** Threads; each computes one job at a time and has the next ones at hand. */
  size: number;
  /** A job that takes longer is stuck: its worker is ended. */
  jobTimeoutMs: number;
  /** While one job of a worker waits for the disk, another computes. More would only wait in line there instead of here. */
  jobsPerWorker: number;
  resourceLimits: ResourceLimits;
  /** Threads start before the first job needs them. */
  startsAhead: boolean;
  toError(failure: JobFailure): Error;
}

export interface WorkerPool<Jobs extends JobTable> {
  run<Kind extends keyof Jobs & string>(
    order: { kind: Kind; request: Jobs[Kind]['request'] },
    options?: { transfer?: ArrayBuffer[]; isUrgent?: boolean },
  ): Promise<Jobs[Kind]['result']>;
  /** Refuses new jobs, finishes those it has, and ends the threads. */
  close(): Promise<void>;
}

interface PendingJob<Jobs extends JobTable> {
  message: JobMessage<Jobs>;
  transfer: ArrayBuffer[];
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Threads for what is too heavy for the event loop. */
export function createWorkerPool<Jobs extends JobTable>(options: WorkerPoolOptions): WorkerPool<Jobs> {
  const { size, jobTimeoutMs, jobsPerWorker, toError } = options;
  type Job = PendingJob<Jobs>;
  /** The jobs each worker has, by number. */
  const workers = new Map<Worker, Map<number, Job>>();
  const waiting: Job[] = [];
  let lastId = 0;
  let closing: Promise<void> | null = null;
  let settled: (() => void) | null = null;

  function startWorker(): Worker {
    const { workerUrl, workerData, resourceLimits } = options;
    const worker = new Worker(workerUrl, { workerData, resourceLimits });
    workers.set(worker, new Map());
    worker.on('message', (answer: JobAnswer) => finishJob(worker, answer));
    worker.on('error', (error) => loseWorker(worker, { reason: 'crashed', detail: error.message, cause: error }));
    worker.on('exit', (code) => loseWorker(worker, { reason: 'crashed', detail: `it exited with code ${code}` }));
    // An idle pool does not keep a process alive; a job does, through whoever awaits it.
    worker.unref();
    return worker;
  }

  /** An idle worker, else a new one, else the one with the fewest jobs; undefined when all have enough. */
  function findWorker(): Worker | undefined {
    const [least] = [...workers].toSorted(([, left], [, right]) => left.size - right.size);
    if (least !== undefined && least[1].size === 0) return least[0];
    if (workers.size < size) return startWorker();
    return least !== undefined && least[1].size < jobsPerWorker ? least[0] : undefined;
  }

  function assignJobs(): void {
    while (waiting.length > 0) {
      const worker = findWorker();
      if (worker === undefined) return;
      const job = waiting.shift()!;
      const late = { reason: 'timed-out', detail: `after ${jobTimeoutMs} ms` } as const;
      const timer = setTimeout(() => loseWorker(worker, late), jobTimeoutMs);
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
      const { message: detail, isRetryable = false } = answer.failure;
      job.reject(toError({ reason: 'failed', detail, isRetryable, cause }));
    }
    assignJobs();
  }

  /** Its jobs are rejected; the next job starts another worker, so one that cannot start costs its jobs each time. */
  function loseWorker(worker: Worker, failure: JobFailure): void {
    const jobs = workers.get(worker);
    if (jobs === undefined) return;
    workers.delete(worker);
    void worker.terminate();
    for (const job of jobs.values()) job.reject(toError(failure));
    assignJobs();
  }

  if (options.startsAhead) {
    // Off the path of whoever waits for the server to be ready, and before the first job has to wait for a thread.
    setImmediate(() => {
      if (closing !== null) return;
      while (workers.size < size) startWorker();
    }).unref();
  }

  return {
    run: (order, { transfer = [], isUrgent = false } = {}) => {
      if (closing) return Promise.reject(toError({ reason: 'closed', detail: 'the server is stopping' }));
      return new Promise((resolve, reject) => {
        const message = { ...(order as JobOrder<Jobs>), id: (lastId += 1) };
        const job: Job = { message, transfer, resolve, reject };
        if (isUrgent) waiting.unshift(job);
        else waiting.push(job);
        assignJobs();
      });
    },
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

/** The bytes in a buffer of their own, which can be transferred; Node's small buffers share one that cannot. */
export function takeBytes(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(body);
}
