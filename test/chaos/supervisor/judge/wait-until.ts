import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/** What was waited for will never be. */
export class HopelessError extends Error {
  override readonly name = 'HopelessError';
}

/** Asks until the answer is yes; says what was waited for when it never is. A question that fails counts as no. */
export async function waitUntil(
  what: string | (() => string),
  ms: number,
  ask: () => Promise<boolean> | boolean,
): Promise<number> {
  const start = performance.now();
  let last: unknown;
  while (performance.now() - start < ms) {
    try {
      if (await ask()) return performance.now() - start;
      last = undefined;
    } catch (error) {
      if (error instanceof HopelessError) throw error;
      last = error;
    }
    await sleep(POLL_MS);
  }
  const told = typeof what === 'string' ? what : what();
  throw new Error(`${told}: not within ${ms / 1000} s${last instanceof Error ? ` (${last.message})` : ''}`);
}
