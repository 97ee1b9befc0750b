import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FakeServerOptions } from './fake-server.fixture.ts';

/** The fake server in a thread of its own, for tests that block the main thread. */
export class FakeServerThread {
  readonly #worker: Worker;
  /** One number that both threads see: how often a heart has beaten. */
  readonly #beats: Int32Array;
  readonly url: string;

  private constructor(worker: Worker, beats: Int32Array, url: string) {
    this.#worker = worker;
    this.#beats = beats;
    this.url = url;
  }

  static async start(options: Omit<FakeServerOptions, 'fault'> = { kind: 'tuft' }): Promise<FakeServerThread> {
    const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    // A worker takes no conditions from its parent; the fake server needs none.
    const worker = new Worker(new URL('fake-server-thread-worker.fixture.ts', import.meta.url), {
      workerData: { options, beats },
      execArgv: [],
    });
    const [url] = (await once(worker, 'message')) as [string];
    return new FakeServerThread(worker, beats, url);
  }

  /** Blocks the calling thread until so many more beats have come, and gives how many did before the time was over. */
  blockForBeats({ count, withinMs }: { count: number; withinMs: number }): number {
    const before = Atomics.load(this.#beats, 0);
    const until = performance.now() + withinMs;
    for (;;) {
      const seen = Atomics.load(this.#beats, 0);
      const leftMs = until - performance.now();
      if (seen - before >= count || leftMs <= 0) return seen - before;
      Atomics.wait(this.#beats, 0, seen, leftMs);
    }
  }

  countBeats(): number {
    return Atomics.load(this.#beats, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
