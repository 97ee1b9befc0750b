import { SandboxError } from './sandbox-error.ts';
import type { SandboxLimits } from './sandbox.ts';

const MEGABYTE = 1024 * 1024;

/** Enough for a compiler or a test run of a small repository; thirty of them fit on one machine. */
export const DEFAULT_LIMITS: SandboxLimits = {
  memoryBytes: 512 * MEGABYTE,
  processes: 128,
  diskBytes: 256 * MEGABYTE,
  outputBytes: MEGABYTE,
  cpuSeconds: 60,
  wallMs: 120_000,
};

export function resolveLimits(wanted: Partial<SandboxLimits> = {}): SandboxLimits {
  const limits = { ...DEFAULT_LIMITS, ...wanted };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) continue;
    throw new SandboxError({
      kind: 'bad-options',
      reason: `The sandbox limit ${name} is ${String(value)}.`,
      hint: 'Give a number greater than 0, or leave it out.',
    });
  }
  return limits;
}
