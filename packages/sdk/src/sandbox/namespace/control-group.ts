import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { SandboxError } from '../sandbox-error.ts';
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
  /** How much of what TCP may hold is held, from 0; always 0 where the kernel counts it as memory. */
  readTcpShare(): number;
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
  const found = locate(mounts.find((each) => each[2] === 'cgroup2')?.[1], own.find((each) => each[0] === '0')?.[2]);
  if (found === undefined) return undefined;
  const unified = findDistributor(found);
  return { version: 2, memory: unified, pids: unified, cpu: unified };
}

/**
 * A group of version 2 that has processes, such as ours, can hand no controllers on. Where the one above hands them on to us
 * and is ours to use, as under a user's systemd, sandboxes are made beside us.
 */
function findDistributor(own: string): string {
  const above = dirname(own);
  const handsOn = (read(join(above, 'cgroup.subtree_control')) ?? '').trim().split(/\s+/);
  if (!['memory', 'pids'].every((controller) => handsOn.includes(controller))) return own;
  try {
    accessSync(above, constants.W_OK);
    accessSync(join(above, 'cgroup.procs'), constants.W_OK);
    return above;
  } catch {
    // Not delegated to this user.
    return own;
  }
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

/**
 * Makes the group of one sandbox. Throws `unavailable`, with the limits that could not be held, where the kernel or the
 * permissions do not allow it.
 */
export function openControlGroup(options: OpenControlGroupOptions): ControlGroup {
  const { home, name } = options;
  const files = groupFiles[home.version];
  const folders = [...new Set([home.memory, home.pids, home.cpu].map((each) => join(each, name)))];
  const memory = join(home.memory, name);
  const pids = join(home.pids, name);
  const cpu = join(home.cpu, name);
  const tcpBytes = Math.max(LEAST_TCP_BYTES, Math.ceil(options.memoryBytes * TCP_SHARE));
  // Both together are what may be had.
  const memoryBytes = String(
    Math.max(Math.ceil(options.memoryBytes) - (home.version === 1 ? tcpBytes : 0), Math.ceil(options.memoryBytes / 2)),
  );
  const remove = (): Promise<void> => removeGroups(folders);
  try {
    if (home.version === 2 && !handsOnControllers(home.memory)) {
      writeFileSync(join(home.memory, 'cgroup.subtree_control'), '+memory +pids');
    }
    for (const folder of folders) mkdirSync(folder);
    writeFileSync(join(memory, files.memoryLimit), memoryBytes);
    // Version 1 counts the buffers of TCP apart, and by default without a limit; version 2 counts them as memory.
    if (home.version === 1) writeFileSync(join(memory, TCP_LIMIT), String(Math.ceil(tcpBytes * TCP_THROTTLE)));
    // Not on every kernel; without it there is no swap to be had either, or it is not counted by anybody.
    if (existsSync(join(memory, files.swapLimit))) {
      writeFileSync(join(memory, files.swapLimit), home.version === 1 ? memoryBytes : '0');
    }
    writeFileSync(join(pids, 'pids.max'), String(options.processes));
  } catch (cause) {
    for (const folder of folders) removeFolder(folder);
    throw createUnheldError(cause instanceof Error ? cause.message : String(cause));
  }
  const kill = (): void => folders.forEach(killGroup);
  return {
    joinFiles: folders.map((folder) => join(folder, 'cgroup.procs')),
    setProcesses: (processes) => writeFileSync(join(pids, 'pids.max'), String(processes)),
    readTcpShare: () => (home.version === 1 ? Number(read(join(memory, TCP_USAGE)) ?? 0) / tcpBytes : 0),
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
  1: {
    memoryLimit: 'memory.limit_in_bytes',
    memoryEvents: 'memory.oom_control',
    swapLimit: 'memory.memsw.limit_in_bytes',
  },
  2: { memoryLimit: 'memory.max', memoryEvents: 'memory.events', swapLimit: 'memory.swap.max' },
} as const;
const TCP_LIMIT = 'memory.kmem.tcp.limit_in_bytes';
const TCP_USAGE = 'memory.kmem.tcp.usage_in_bytes';
/** What the buffers of TCP may take where they are not counted as memory: enough for a test's server and its clients. */
const TCP_SHARE = 1 / 64;
const LEAST_TCP_BYTES = 2 * 1024 * 1024;
/** From here on the kernel gives a connection no more than its smallest buffers; what many such take is the watcher's matter. */
const TCP_THROTTLE = 0.75;

const handsOnControllers = (folder: string): boolean =>
  /\bmemory\b/.test(read(join(folder, 'cgroup.subtree_control')) ?? '') &&
  /\bpids\b/.test(read(join(folder, 'cgroup.subtree_control')) ?? '');

/** For a machine or a user without control groups: what cannot be held is not promised. */
export function createUnheldError(why: string): SandboxError {
  return new SandboxError({
    kind: 'unavailable',
    reason: `The limits memoryBytes and processes, and with memory the buffers of TCP, cannot be held on this machine: no control group could be made for the sandbox (${why}).`,
    hint: 'Run as root, or in a group that is yours (`systemd-run --user --scope -p Delegate=yes …`), or use a container. For code that you trust not to fill the machine, limits that are only watched can be asked for: controlGroups: null, or env.terminal_backend: namespace:watched.',
  });
}

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
