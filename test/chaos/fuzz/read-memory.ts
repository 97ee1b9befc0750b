import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { readProcessTree } from '../../kit/read-process-tree.ts';

const MIB = 1024 ** 2;

/** What the server keeps once it has nothing to do: the least of some readings, because collections come when they like. */
export async function readSettledMegabytes(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < 8; reading += 1) {
    least = Math.min(least, readProcessTree(pid).rssBytes / MIB);
    await sleep(100);
  }
  return least;
}

/** Starts a new peak of a process's memory; the kernel keeps it. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export function readPeakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? Number.NaN) / 1024;
}
