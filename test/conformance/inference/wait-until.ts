import { setTimeout as sleep } from 'node:timers/promises';

/** Looks every few milliseconds whether something is so, and throws when it never is. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedAt > timeoutMs) throw new Error(`it was not so within ${timeoutMs} ms`);
    await sleep(5);
  }
}
