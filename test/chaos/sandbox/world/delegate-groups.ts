import { chownSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

export interface DelegatedGroups {
  /** A process that writes its number to `cgroup.procs` in each of them belongs to the user's groups. */
  readonly folders: readonly string[];
  remove(): void;
}

/** Control groups that belong to an ordinary user, below those of this process; a sentence where that cannot be. */
export function delegateGroups(name: string, uid: number): DelegatedGroups | string {
  const mounts = readLines('/proc/self/mounts', ' ');
  const own = readLines('/proc/self/cgroup', ':');
  const folders: string[] = [];
  for (const controller of ['memory', 'pids', 'cpuacct']) {
    const mount = mounts.find((each) => each[2] === 'cgroup' && each[3]?.split(',').includes(controller))?.[1];
    const path = own
      .find((each) => each[1]?.split(',').includes(controller))
      ?.slice(2)
      .join(':');
    if (mount === undefined || path === undefined) return `this machine has no ${controller} groups of version 1`;
    const folder = join(mount, path, name);
    mkdirSync(folder);
    for (const file of ['', 'cgroup.procs', 'tasks']) chownSync(join(folder, file), uid, uid);
    folders.push(folder);
  }
  return {
    folders,
    remove() {
      for (const folder of folders) rmdirSync(folder);
    },
  };
}

const readLines = (file: string, separator: string): string[][] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(separator));
