import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FakeServerOptions } from './fake-server.case.ts';

/** The fake server in a thread of its own, for tests that block the main thread. */
export class FakeServerThread {
  readonly #worker: Worker;
  readonly url: string;

  private constructor(worker: Worker, url: string) {
    this.#worker = worker;
    this.url = url;
  }

  static async start(options: Omit<FakeServerOptions, 'fault'> = { kind: 'tuft' }): Promise<FakeServerThread> {
    // A worker takes no conditions from its parent; the fake server needs none.
    const worker = new Worker(new URL('fake-server-thread-worker.case.ts', import.meta.url), {
      workerData: options,
      execArgv: [],
    });
    const [url] = (await once(worker, 'message')) as [string];
    return new FakeServerThread(worker, url);
  }

  /** Milliseconds between one beat and the next. */
  async heartbeatGaps(): Promise<number[]> {
    this.#worker.postMessage('heartbeats');
    const [at] = (await once(this.#worker, 'message')) as [number[]];
    return at.slice(1).map((time, index) => time - at[index]!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
