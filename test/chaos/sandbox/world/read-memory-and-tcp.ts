import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DEPTH = 6;

/** What memory may be had, and the most that TCP ever held besides; undefined where the kernel counts TCP as memory. */
export function readMemoryAndTcp(sandboxId: string): number | undefined {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const root = mounts.find((each) => each[2] === 'cgroup' && each[3]?.split(',').includes('memory'))?.[1];
  const folder = root === undefined ? undefined : findFolder(root, (name) => name.endsWith(`-${sandboxId}`), DEPTH);
  if (folder === undefined) return undefined;
  const [memory = 0, tcp = 0] = ['memory.limit_in_bytes', 'memory.kmem.tcp.max_usage_in_bytes'].map((file) =>
    Number(readFileSync(join(folder, file), 'utf8')),
  );
  return memory + tcp;
}

function findFolder(folder: string, isWanted: (name: string) => boolean, depth: number): string | undefined {
  if (depth === 0) return undefined;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    const found = isWanted(entry.name) ? path : findFolder(path, isWanted, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
