import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Of the default's hundred times: what others want meanwhile is a percent. */
const SHARES = 100 * 1024;

/**
 * Puts this process, and what it starts from here on, into a group that the kernel serves before the rest of the machine. What
 * neighbours do is nothing that a contender adds to a turn, and a group serves all contenders alike; a lower `nice` would not, since
 * the kernel weighs sessions and not processes, and some start sessions of their own. Undefined where groups cannot be made.
 */
export function claimProcessor(pid = process.pid): (() => void) | undefined {
  try {
    const home = findProcessorGroup();
    if (home === undefined) return undefined;
    const group = path.join(home, `lachesis-bench-${pid}`);
    mkdirSync(group, { recursive: true });
    writeFileSync(path.join(group, 'cpu.shares'), String(SHARES));
    writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
    return () => {
      // What a contender left behind goes back too, or the group could not be removed.
      for (const each of readFileSync(path.join(group, 'cgroup.procs'), 'utf8').trim().split('\n')) {
        writeFileSync(path.join(home, 'cgroup.procs'), each);
      }
      rmdirSync(group);
    };
  } catch {
    // Not root, or no groups of this kind: then the figure holds what neighbours do.
    return undefined;
  }
}

/** The folder of our own group of the controller `cpu`, version 1. */
function findProcessorGroup(): string | undefined {
  const mount = read('/proc/self/mounts', ' ').find(
    (each) => each[2] === 'cgroup' && each[3]?.split(',').includes('cpu'),
  );
  const own = read('/proc/self/cgroup', ':').find((each) => each[1]?.split(',').includes('cpu'));
  return mount?.[1] === undefined || own?.[2] === undefined ? undefined : path.join(mount[1], own[2]);
}

const read = (file: string, separator: string): string[][] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(separator));
