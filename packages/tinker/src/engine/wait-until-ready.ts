import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { EngineError } from './engine-error.ts';

/** The engine's own word that it takes work. The API answers its health check many seconds earlier, and only queues. */
const READY_LINE = 'Starting background engine...';

const ASK_EVERY_MS = 100;

export interface WaitUntilReadyOptions {
  readonly url: string;
  /** The log of this start alone. */
  readonly logFile: string;
  /** How it ended, such as `SIGKILL` or `code 1`; undefined while it runs. */
  readonly describeEnd: () => string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof globalThis.fetch;
}

/** Resolves when the engine has loaded its model and the API answers. */
export async function waitUntilReady(options: WaitUntilReadyOptions): Promise<void> {
  const { url, logFile, describeEnd, timeoutMs, signal, fetch = globalThis.fetch } = options;
  const startedAt = performance.now();
  await using log = await open(logFile, 'r');
  let text = '';
  const buffer = Buffer.alloc(64 * 1024);
  let isEngineUp = false;
  while (performance.now() - startedAt < timeoutMs) {
    signal?.throwIfAborted();
    const { bytesRead } = await log.read(buffer, 0, buffer.length, null);
    // A line may arrive in two parts; more than a few lines are not needed to recognise one.
    text = (text + buffer.toString('utf8', 0, bytesRead)).slice(-16 * 1024);
    isEngineUp ||= text.includes(READY_LINE);
    // Looked at first: at the address of one that has ended somebody else may answer.
    const end = describeEnd();
    if (end !== undefined) {
      throw new EngineError({
        reason: 'start-failed',
        message: `The engine ended with ${end} while it was starting.`,
        hint: `Its log is ${logFile}.`,
        output: lastLines(text),
      });
    }
    if (isEngineUp && (await isHealthy(url, fetch)) && describeEnd() === undefined) return;
    if (bytesRead < buffer.length) await sleep(ASK_EVERY_MS, undefined, signal === undefined ? {} : { signal });
  }
  throw new EngineError({
    reason: 'not-ready',
    message: `The engine was not ready within ${Math.round(timeoutMs / 1_000)} s.`,
    hint: `Its log is ${logFile}.`,
    output: lastLines(text),
  });
}

export async function isHealthy(url: string, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/healthz`, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch (error) {
    // Refused, reset or too slow: not healthy is the answer, not a fault of ours.
    if (error instanceof Error) return false;
    throw error;
  }
}

function lastLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-20)
    .join('\n');
}
