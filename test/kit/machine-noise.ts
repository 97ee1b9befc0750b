import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { readProcessTree } from './read-process-tree.ts';

/** One reading of the machine's clock hands; two of them give a share. */
export interface MachineSample {
  readonly atMs: number;
  readonly busySeconds: number;
  readonly ownSeconds: number;
}

/**
 * Reads how much CPU the whole machine has spent, and how much of that the given process trees have.
 * `ownRoots` must not contain one another, or their time counts twice.
 */
export function sampleMachine(ownRoots: readonly number[]): MachineSample {
  return {
    atMs: performance.now(),
    busySeconds: readBusySeconds(),
    ownSeconds: ownRoots.reduce((sum, pid) => sum + readProcessTree(pid).cpuSeconds, 0),
  };
}

/** Cores used between two samples by anyone but ourselves; a measurement under a noisy neighbour says little. */
export function countForeignCores(before: MachineSample, after: MachineSample): number {
  const seconds = (after.atMs - before.atMs) / 1000;
  const foreign = after.busySeconds - before.busySeconds - (after.ownSeconds - before.ownSeconds);
  return seconds <= 0 ? 0 : Math.max(0, foreign / seconds);
}

export interface WaitForQuietOptions {
  readonly ownRoots: readonly number[];
  readonly maxForeignCores: number;
  /** Gives up waiting after this long; the measurement then says itself how noisy it was. */
  readonly timeoutMs: number;
  /** 500 by default. */
  readonly windowMs?: number;
}

/** Waits for a window in which others leave the machine alone; resolves with the last reading, quiet or not. */
export async function waitForQuiet(options: WaitForQuietOptions): Promise<number> {
  const { ownRoots, maxForeignCores, timeoutMs, windowMs = 500 } = options;
  const startedAt = performance.now();
  for (;;) {
    const before = sampleMachine(ownRoots);
    await sleep(windowMs);
    const foreignCores = countForeignCores(before, sampleMachine(ownRoots));
    if (foreignCores <= maxForeignCores || performance.now() - startedAt >= timeoutMs) return foreignCores;
  }
}

function readBusySeconds(): number {
  const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').trim().split(/\s+/);
  // user, nice, system, irq, softirq and steal: idle and waiting for a disk are not work.
  return [0, 1, 2, 5, 6, 7].reduce((sum, index) => sum + Number(ticks[index] ?? 0), 0) / 100;
}
