import { readFileSync } from 'node:fs';

import { readProcessTree } from '../../../kit/read-process-tree.ts';

const EVERY_MS = 250;

export interface MemoryPeak {
  /** Sum over the processes; pages that several share count for each. */
  rssBytes: number;
  /** Shared pages counted once. */
  pssBytes: number;
}

/** Looks at a process and all its descendants until it is told to stop. */
export function watchMemory(): { watch(pid: number): void; stop(): MemoryPeak } {
  const peak: MemoryPeak = { rssBytes: 0, pssBytes: 0 };
  let timer: NodeJS.Timeout | undefined;
  return {
    watch(pid) {
      timer = setInterval(() => {
        const { pids, rssBytes } = readProcessTree(pid);
        peak.rssBytes = Math.max(peak.rssBytes, rssBytes);
        peak.pssBytes = Math.max(
          peak.pssBytes,
          pids.reduce((sum, each) => sum + readPss(each), 0),
        );
      }, EVERY_MS);
    },
    stop() {
      clearInterval(timer);
      return peak;
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
