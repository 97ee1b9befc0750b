import { setTimeout as delay } from 'node:timers/promises';

import { WeightsError } from './weights-error.ts';

export interface RetrySettings {
  /** Tries in all. */
  attempts: number;
  signal?: AbortSignal | undefined;
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<unknown>) | undefined;
  random?: (() => number) | undefined;
}

const sleepFor = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, signal === undefined ? {} : { signal });

/** Tries again, after a pause, what failed in a way that may pass. */
export async function withRetries<T>(settings: RetrySettings, action: () => Promise<T>): Promise<T> {
  const { attempts, signal, sleep = sleepFor, random = Math.random } = settings;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!WeightsError.isInstance(error) || !error.retryable || attempt >= attempts) throw error;
    }
    // Half a second doubling to eight, less up to a quarter so that many clients do not return at once.
    await sleep(Math.min(500 * 2 ** (attempt - 1), 8000) * (1 - random() / 4), signal);
  }
}
