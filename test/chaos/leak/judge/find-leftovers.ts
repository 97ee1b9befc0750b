import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Leftovers {
  readonly processes: readonly number[];
  readonly groups: readonly string[];
  readonly mounts: readonly string[];
}

/** What is left on this machine of an owner's sandboxes, found without the code under test. */
export function findLeftovers(owner: string): Leftovers {
  const mark = `lachesis-sandbox-${createHash('sha256').update(owner).digest('hex').slice(0, 12)}`;
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      // A process inside has another environment, and is known by its group, which the kernel tells.
      const isMarked = [`/proc/${pid}/environ`, `/proc/${pid}/cgroup`].some((file) => read(file).includes(mark));
      return isMarked && !/^State:\s+Z/m.test(read(`/proc/${pid}/status`));
    })
    .map(Number);
  return {
    processes,
    groups: walk('/sys/fs/cgroup', (name) => name.startsWith(mark), 7),
    mounts: read('/proc/self/mountinfo')
      .split('\n')
      .filter((line) => line.includes(mark) || / \/(disk|newroot|oldroot)\b/.test(line)),
  };
}

export function countLeftovers({ processes, groups, mounts }: Leftovers): number {
  return processes.length + groups.length + mounts.length;
}

function walk(folder: string, isWanted: (name: string) => boolean, depth: number): string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => (isWanted(name) ? [join(folder, name)] : walk(join(folder, name), isWanted, depth - 1)));
  } catch {
    // Removed while we looked.
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Ended while we looked.
    return '';
  }
}
