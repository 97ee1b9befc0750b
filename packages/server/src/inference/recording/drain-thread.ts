import { Worker } from 'node:worker_threads';
import type { DrainAnswer, DrainFolder, DrainRequest, DrainWorkerData } from './drain-messages.ts';

const WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './drain-worker.ts' : './drain-worker.js',
  import.meta.url,
);

/** A thousand records take a second; a database that hangs has deadlines of its own, which are shorter. */
const DEADLINE_MS = 120_000;
const CLOSE_MS = 1_000;

/** The drain thread: started with the first drain, and again after it died. One drain at a time. */
export class DrainThread {
  readonly #workerData: DrainWorkerData;
  #worker: Worker | undefined;
  #lastId = 0;

  constructor({ home, databaseUrl, redactNames, redactVariables, redactPattern }: DrainWorkerData) {
    this.#workerData = { home, databaseUrl, redactNames, redactVariables, redactPattern };
  }

  /** Rejects when the thread died or is stuck: what was not brought in is still in the outbox. */
  drain(folders: DrainFolder[]): Promise<DrainAnswer> {
    const worker = (this.#worker ??= this.#start());
    const request: DrainRequest = { id: (this.#lastId += 1), folders };
    return new Promise((resolve, reject) => {
      const fail = (reason: unknown): void => {
        end();
        if (this.#worker === worker) this.#worker = undefined;
        void worker.terminate();
        reject(reason instanceof Error ? reason : new Error(`the drain thread ended with code ${String(reason)}`));
      };
      const take = (answer: DrainAnswer): void => {
        if (answer.id !== request.id) return;
        end();
        resolve(answer);
      };
      const timer = setTimeout(() => fail(new Error('the drain thread did not answer in time')), DEADLINE_MS);
      const end = (): void => {
        clearTimeout(timer);
        worker.off('message', take).off('error', fail).off('exit', fail).unref();
      };
      // Who awaits a drain wants it to end, also in a process that has nothing else to do.
      worker.on('message', take).on('error', fail).on('exit', fail).ref();
      worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.ref();
    worker.postMessage('close');
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await ended;
    clearTimeout(timer);
  }

  #start(): Worker {
    const worker = new Worker(WORKER_URL, { workerData: this.#workerData });
    // An error between two drains ends the thread; the next drain starts another.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    worker.unref();
    return worker;
  }
}
