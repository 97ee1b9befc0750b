import type { CreateSandbox, Sandbox, SandboxProvider } from '../sandbox.ts';
import { SandboxError } from '../sandbox-error.ts';

export interface SandboxPoolOptions {
  readonly provider: SandboxProvider;
  /** Every sandbox of the pool is made like this; a second kind needs a second pool. */
  readonly template: CreateSandbox;
  /** How many stand ready. */
  readonly size: number;
  readonly now?: () => number;
}

export interface SandboxPool {
  /** A fresh one, never used before; the place it leaves is filled again. It belongs to the caller, who destroys it. */
  take(): Promise<Sandbox>;
  /** How many stand ready now. */
  countReady(): number;
  /** Destroys those that nobody took. */
  close(): Promise<void>;
}

/** Keeps sandboxes ready, so that a rollout does not wait for one. Nothing goes back: what was used is destroyed. */
export function createSandboxPool({ provider, template, size, now = Date.now }: SandboxPoolOptions): SandboxPool {
  if (!Number.isInteger(size) || size < 1) {
    throw new SandboxError({
      kind: 'bad-options',
      reason: `The size of the sandbox pool is ${String(size)}.`,
      hint: 'Give a whole number of at least 1.',
    });
  }
  // One that waited through half of its life would end under its taker.
  const freshMs = (template.lifetimeMs ?? Number.POSITIVE_INFINITY) / 2;
  const ready: { sandbox: Sandbox; madeAt: number }[] = [];
  const filling = new Set<Promise<void>>();
  let isClosed = false;
  const fill = (): void => {
    if (isClosed) return;
    while (ready.length + filling.size < size) {
      const one: Promise<void> = provider
        .create(template)
        .then(async (sandbox) => {
          if (isClosed) await sandbox.destroy();
          else ready.push({ sandbox, madeAt: now() });
        })
        // Whoever takes next tries again and is told why; a pool that cannot be filled is no failure by itself.
        .catch(() => undefined)
        .finally(() => filling.delete(one));
      filling.add(one);
    }
  };
  fill();
  return {
    async take() {
      if (isClosed) {
        throw new SandboxError({
          kind: 'destroyed',
          reason: 'The sandbox pool is closed.',
          hint: 'Open another one, or create the sandbox with the provider.',
        });
      }
      const stale = ready.filter((each) => now() - each.madeAt > freshMs);
      for (const each of stale) ready.splice(ready.indexOf(each), 1);
      const taken = ready.shift();
      fill();
      await Promise.all(stale.map((each) => each.sandbox.destroy()));
      return taken?.sandbox ?? provider.create(template);
    },
    countReady: () => ready.length,
    async close() {
      isClosed = true;
      await Promise.all(filling);
      await Promise.all(ready.splice(0).map(({ sandbox }) => sandbox.destroy()));
    },
  };
}
