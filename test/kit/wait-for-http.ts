import { setTimeout as sleep } from 'node:timers/promises';

import type { RunningProcess } from './start-process.ts';

export interface WaitForHttpOptions {
  /** Asked with GET until it answers 2xx. */
  readonly url: string;
  /** 20,000 by default. */
  readonly timeoutMs?: number;
  /** 25 by default. */
  readonly everyMs?: number;
  /** The process expected to answer; when it ends the wait fails at once, with its last output. */
  readonly process?: RunningProcess;
  /** Other statuses that say that it is there. */
  readonly accepts?: readonly number[];
}

/** Waits until a server answers, and says how many milliseconds that took. */
export async function waitForHttp(options: WaitForHttpOptions): Promise<number> {
  const { url, timeoutMs = 20_000, everyMs = 25, process, accepts = [] } = options;
  const startedAt = performance.now();
  let lastFailure = 'it was never asked';
  while (performance.now() - startedAt < timeoutMs) {
    if (process !== undefined && !process.isRunning()) {
      throw new Error(`${process.name} ended before ${url} answered:\n${process.logs()}`);
    }
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      if (response.ok || accepts.includes(response.status)) return performance.now() - startedAt;
      lastFailure = `it answered ${response.status}`;
    } catch (error) {
      lastFailure = describeFailure(error);
    }
    await sleep(everyMs);
  }
  throw new Error(`${url} did not answer within ${timeoutMs} ms: ${lastFailure}\n${process?.logs() ?? ''}`);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
