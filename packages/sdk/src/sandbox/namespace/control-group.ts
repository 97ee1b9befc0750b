import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { killProcess } from './processes.ts';

/** How long the kernel is given to let go of processes that were killed. */
const REMOVE_TIMEOUT_MS = 5_000;

/** Where this process may make groups, by what they limit. On version 2 all three are one folder. */
export interface ControlGroupHome {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly pids: string;
  readonly cpu: string;
}

export interface ExecGroup {
  /** A process that writes 0 to these files belongs to the group, and so do its children. */
  readonly joinFiles: readonly string[];
  readCpuSeconds(): number;
  kill(): void;
  remove(): Promise<void>;
}

export interface ControlGroup {
  readonly joinFiles: readonly string[];
  setProcesses(processes: number): void;
  /** How often the kernel had to kill for memory. */
  countMemoryKills(): number;
  openExec(name: string): ExecGroup;
  kill(): void;
  remove(): Promise<void>;
}

export interface FindControlGroupHomeOptions {
  readonly mounts?: string;
  readonly own?: string;
}

/**
 * Groups are made below the one this process is in, so whatever limits it limits its sandboxes. Undefined where they cannot
 * be made, as for an ordinary user without delegation.
 */
export function findControlGroupHome(options: FindControlGroupHomeOptions = {}): ControlGroupHome | undefined {
  const mounts = (options.mounts ?? read('/proc/self/mounts') ?? '').split('\n').map((line) => line.split(' '));
  const own = (options.own ?? read('/proc/self/cgroup') ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split(':'));
  const find = (controller: string): string | undefined => {
    const mount = mounts.find((each) => each[2] === 'cgroup' && each[3]?.split(',').includes(controller));
    const path = own
      .find((each) => each[1]?.split(',').includes(controller))
      ?.slice(2)
      .join(':');
    return locate(mount?.[1], path);
  };
  const [memory, pids, cpu] = [find('memory'), find('pids'), find('cpuacct')];
  if (memory !== undefined && pids !== undefined && cpu !== undefined) return { version: 1, memory, pids, cpu };
  const unified = locate(mounts.find((each) => each[2] === 'cgroup2')?.[1], own.find((each) => each[0] === '0')?.[2]);
  if (unified === undefined) return undefined;
  return { version: 2, memory: unified, pids: unified, cpu: unified };
}

function locate(mount: string | undefined, path: string | undefined): string | undefined {
  if (mount === undefined || path === undefined) return undefined;
  // In a container the path may be the host's; then the mount itself is our group.
  return [join(mount, path), mount].find((each) => existsSync(join(each, 'cgroup.procs')));
}

export interface OpenControlGroupOptions {
  readonly home: ControlGroupHome;
  readonly name: string;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** Makes the group of one sandbox, or answers undefined when the kernel or the permissions do not allow it. */
export function openControlGroup(options: OpenControlGroupOptions): ControlGroup | undefined {
  const { home, name } = options;
  const files = groupFiles[home.version];
  const folders = [...new Set([home.memory, home.pids, home.cpu].map((each) => join(each, name)))];
  const memory = join(home.memory, name);
  const pids = join(home.pids, name);
  const cpu = join(home.cpu, name);
  const remove = (): Promise<void> => removeGroups(folders);
  try {
    if (home.version === 2) writeFileSync(join(home.memory, 'cgroup.subtree_control'), '+memory +pids');
    for (const folder of folders) mkdirSync(folder);
    writeFileSync(join(memory, files.memoryLimit), String(Math.ceil(options.memoryBytes)));
    writeFileSync(join(pids, 'pids.max'), String(options.processes));
  } catch {
    // Without permission or controllers the sandbox goes by rlimits and a watcher instead.
    for (const folder of folders) removeFolder(folder);
    return undefined;
  }
  const kill = (): void => folders.forEach(killGroup);
  return {
    joinFiles: folders.map((folder) => join(folder, 'cgroup.procs')),
    setProcesses: (processes) => writeFileSync(join(pids, 'pids.max'), String(processes)),
    countMemoryKills: () => readCounter(join(memory, files.memoryEvents), 'oom_kill'),
    kill,
    remove,
    openExec(execName) {
      const folder = join(cpu, execName);
      mkdirSync(folder);
      const joined = folders.map((each) => (each === cpu ? folder : each));
      return {
        joinFiles: joined.map((each) => join(each, 'cgroup.procs')),
        readCpuSeconds: () =>
          home.version === 1
            ? Number(read(join(folder, 'cpuacct.usage')) ?? 0) / 1e9
            : readCounter(join(folder, 'cpu.stat'), 'usage_usec') / 1e6,
        kill: () => killGroup(folder),
        remove: () => removeGroups([folder]),
      };
    },
  };
}

const groupFiles = {
  1: { memoryLimit: 'memory.limit_in_bytes', memoryEvents: 'memory.oom_control' },
  2: { memoryLimit: 'memory.max', memoryEvents: 'memory.events' },
} as const;

/** Folders of groups whose name passes, anywhere below the homes; a sandbox of an earlier process may have had another parent. */
export function findGroups(home: ControlGroupHome, isWanted: (name: string) => boolean): string[] {
  const mounts = (read('/proc/self/mounts') ?? '').split('\n').map((line) => line.split(' '));
  const roots = mounts
    .filter((each) => each[2] === (home.version === 1 ? 'cgroup' : 'cgroup2'))
    .map((each) => each[1] ?? '');
  return roots.flatMap((root) => walkGroups(root, isWanted, 6));
}

function walkGroups(folder: string, isWanted: (name: string) => boolean, depth: number): string[] {
  if (depth === 0) return [];
  return listFolders(folder).flatMap((name) => {
    const path = join(folder, name);
    return isWanted(name) ? [path] : walkGroups(path, isWanted, depth - 1);
  });
}

/** Ends what is in a group and in those below it. */
export function killGroup(folder: string): void {
  for (const name of listFolders(folder)) killGroup(join(folder, name));
  for (const pid of (read(join(folder, 'cgroup.procs')) ?? '').split('\n')) if (pid !== '') killProcess(Number(pid));
}

/** Removes groups, killing until they are empty: what forks while it is killed is met in the next round. */
export async function removeGroups(folders: readonly string[]): Promise<void> {
  const deadline = Date.now() + REMOVE_TIMEOUT_MS;
  let left = folders.filter((folder) => !removeFolder(folder));
  for (let pauseMs = 1; left.length > 0 && Date.now() < deadline; pauseMs = Math.min(pauseMs * 2, 50)) {
    left.forEach(killGroup);
    await sleep(pauseMs);
    left = left.filter((folder) => !removeFolder(folder));
  }
}

function removeFolder(folder: string): boolean {
  for (const name of listFolders(folder)) removeFolder(join(folder, name));
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    // Another process removed it, which is what we are after as well.
    return [];
  }
}

function readCounter(file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(read(file) ?? '')?.[1] ?? 0);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not there on this kernel, or gone with its process.
    return undefined;
  }
}
