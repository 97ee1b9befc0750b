import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitForOptions {
  /** Completes "waited in vain for …". */
  readonly what: string;
  readonly until: () => Promise<boolean>;
  readonly timeoutMs: number;
  /** 50 by default. */
  readonly everyMs?: number;
  /** Added to the message when the wait was in vain, e.g. the log of who should have acted. */
  readonly evidence?: () => string;
}

/** Asks again and again until the answer is yes. What `until` throws counts as no: servers are killed in these shows. */
export async function waitFor(options: WaitForOptions): Promise<void> {
  const { what, until, timeoutMs, everyMs = 50, evidence } = options;
  const startedAt = performance.now();
  let lastError = '';
  while (performance.now() - startedAt < timeoutMs) {
    try {
      if (await until()) return;
      lastError = '';
    } catch (error) {
      lastError = error instanceof Error ? `: ${error.message}` : `: ${String(error)}`;
    }
    await sleep(everyMs);
  }
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}${lastError}\n${evidence?.() ?? ''}`);
}
