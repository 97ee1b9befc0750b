import { readFileSync } from 'node:fs';

import { readProcessTree } from '../../../kit/read-process-tree.ts';

const EVERY_MS = 250;

export interface ProcessCosts {
  /** Sum over the processes; pages that several share count for each. */
  rssBytes: number;
  /** Shared pages counted once. */
  pssBytes: number;
  /** Processor time since the work began, of those that ended meanwhile too. */
  cpuSeconds: number;
}

/** Looks at a process and all its descendants until it is told to stop. Processor time counts once `hasBegun`. */
export function watchProcesses(hasBegun: () => boolean): { watch(pid: number): void; stop(): ProcessCosts } {
  const costs: ProcessCosts = { rssBytes: 0, pssBytes: 0, cpuSeconds: 0 };
  let startSeconds: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    watch(pid) {
      timer = setInterval(() => {
        const { pids, rssBytes, cpuSeconds } = readProcessTree(pid);
        if (hasBegun()) startSeconds ??= cpuSeconds;
        costs.cpuSeconds = Math.max(costs.cpuSeconds, cpuSeconds - (startSeconds ?? cpuSeconds));
        costs.rssBytes = Math.max(costs.rssBytes, rssBytes);
        costs.pssBytes = Math.max(
          costs.pssBytes,
          pids.reduce((sum, each) => sum + readPss(each), 0),
        );
      }, EVERY_MS);
    },
    stop() {
      clearInterval(timer);
      return costs;
    },
  };
}

function readPss(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    // It ended between being listed and being read.
    return 0;
  }
}
