import { Worker } from 'node:worker_threads';
import type { SqliteReply, SqliteRequest, SqliteWorkerData } from './sqlite-messages.ts';

type Unnumbered<R> = R extends unknown ? Omit<R, 'id'> : never;

/** The worker ended although nobody closed it. */
export class SqliteThreadEndedError extends Error {}

const WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js',
  import.meta.url,
);

/**
 * Sends requests to the worker and matches the replies. The worker answers in order. When the worker dies, what was under
 * way fails and the next request starts a new one: SQLite recovers from its log when the file is opened.
 */
export class SqliteThread {
  readonly #workerData: SqliteWorkerData;
  readonly #pending = new Map<number, { resolve: (reply: SqliteReply) => void; reject: (error: Error) => void }>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(workerData: SqliteWorkerData) {
    this.#workerData = workerData;
  }

  send(request: Unnumbered<SqliteRequest>): Promise<SqliteReply> {
    const worker = (this.#worker ??= this.#startWorker());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      worker.postMessage({ ...request, id });
      this.#pending.set(id, { resolve, reject });
    });
  }

  /** Closes the file and ends the thread, after everything sent before. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await this.send({ kind: 'close' });
    await worker.terminate();
  }

  #startWorker(): Worker {
    // Flags of the parent, such as --input-type, need not suit a worker; it imports nothing that asks for any.
    const worker = new Worker(WORKER_URL, { workerData: this.#workerData, execArgv: [] });
    let cause: Error | undefined;
    worker.on('message', (reply: SqliteReply) => {
      const entry = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      entry?.resolve(reply);
    });
    worker.on('error', (error) => {
      cause = error instanceof Error ? error : new Error(String(error));
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const error = new SqliteThreadEndedError(
        `the SQLite thread ended${cause === undefined ? '' : `: ${cause.message}`}`,
        { cause },
      );
      const ended = [...this.#pending.values()];
      this.#pending.clear();
      for (const { reject } of ended) reject(error);
    });
    return worker;
  }
}
