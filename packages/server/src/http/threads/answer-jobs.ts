import { parentPort } from 'node:worker_threads';
import type { JobAnswer, JobMessage, JobTable } from './job-messages.ts';

export interface JobWork<Jobs extends JobTable> {
  run(message: JobMessage<Jobs>): Jobs[keyof Jobs]['result'] | Promise<Jobs[keyof Jobs]['result']>;
  /** Buffers of a result that are handed over instead of copied. */
  transferOf(result: Jobs[keyof Jobs]['result']): ArrayBuffer[];
}

/**
 * The inside of a thread of a `WorkerPool`. Several answers may be under way: what computes runs one after the other, and
 * while the disk works the next one computes.
 */
export function answerJobs<Jobs extends JobTable>({ run, transferOf }: JobWork<Jobs>): void {
  const port = parentPort;
  if (port === null) throw new Error('this module runs as a worker thread of a pool');
  port.on('message', (message: JobMessage<Jobs>) => void answer(message));

  async function answer(message: JobMessage<Jobs>): Promise<void> {
    const { id } = message;
    try {
      const result = await run(message);
      port?.postMessage({ id, result } satisfies JobAnswer, transferOf(result));
    } catch (error) {
      const { message: text, stack } = error instanceof Error ? error : new Error(String(error));
      const isRetryable = (error as { retryable?: unknown } | null)?.retryable === true;
      const failure = { message: text, isRetryable, ...(stack === undefined ? {} : { stack }) };
      port?.postMessage({ id, failure } satisfies JobAnswer);
    }
  }
}
