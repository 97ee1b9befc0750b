import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** Ends a detached child and what it started, as far as that stayed in its process group. */
export function killFamily(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The whole group has ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A `spawn` that keeps its children in a set while they run. */
export function rememberChildren(running: Set<ChildProcess>): typeof spawn {
  const remember = (child: ChildProcess): ChildProcess => {
    running.add(child);
    child.once('close', () => running.delete(child));
    return child;
  };
  return ((...args: Parameters<typeof spawn>) => remember(spawn(...args))) as typeof spawn;
}
