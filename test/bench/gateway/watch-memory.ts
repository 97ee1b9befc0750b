import { readProcessTree } from '../../kit/read-process-tree.ts';

const EVERY_MS = 100;

/** Looks at the memory of a process and all its children until it is stopped, which gives the most there was. */
export function watchMemory(pid: number): { stop(): number } {
  let peakBytes = readProcessTree(pid).rssBytes;
  const look = (): void => void (peakBytes = Math.max(peakBytes, readProcessTree(pid).rssBytes));
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return peakBytes;
    },
  };
}
