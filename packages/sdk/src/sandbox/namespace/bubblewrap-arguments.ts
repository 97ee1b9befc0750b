import { lstatSync, readlinkSync } from 'node:fs';

import type { SandboxLimits } from '../sandbox.ts';
import { HOST_PATH } from './host-programs.ts';

/** Folders that hold programs and their libraries; on most systems all but the first are links into it. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'] as const;
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const;

export interface HolderArguments {
  readonly uid: number;
  readonly limits: SandboxLimits;
  /** More of the host that may be read inside, at the same place. */
  readonly readOnlyFolders: readonly string[];
  /** Descriptors from which files of /etc are filled, by name. */
  readonly etcDescriptors: Readonly<Record<string, number>>;
  readonly infoDescriptor: number;
}

export interface ExecArguments {
  readonly holderPid: number;
  readonly readOnlyFolders: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent on architectures without a filter. */
  readonly seccompDescriptor?: number;
}

/** The command lines of a sandbox: one process that holds its world, and one for each command that enters it. */
export interface BubblewrapArguments {
  /** Ends with the program that keeps the world alive. It prints `ready` when the world stands. */
  buildHolder(options: HolderArguments): string[];
  /** The program to run is appended. */
  buildExec(options: ExecArguments): string[];
}

export const bubblewrapArguments: BubblewrapArguments = {
  buildHolder: ({ limits, readOnlyFolders, etcDescriptors, infoDescriptor }) => [
    ...['bwrap', '--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    ...listSystem(readOnlyFolders),
    ...['--proc', '/proc', '--dir', '/tmp', '--dir', '/etc'],
    // No --dev here: it needs a second user namespace inside, and then commands could not enter the network namespace.
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    // Terminals are there once `furnishWorld` has put some; without it there are none.
    ...['--dir', '/dev/shm', '--dir', '/dev/pts', '--symlink', 'pts/ptmx', '/dev/ptmx', '--symlink', '/proc/self/fd'],
    ...['/dev/fd', ...['stdin', 'stdout', 'stderr'].flatMap((name, at) => ['--symlink', `fd/${at}`, `/dev/${name}`])],
    ...Object.entries(etcDescriptors).flatMap(([name, descriptor]) => ['--file', String(descriptor), `/etc/${name}`]),
    ...[
      '--ro-bind-try',
      '/etc/alternatives',
      '/etc/alternatives',
      '--ro-bind-try',
      '/etc/ld.so.cache',
      '/etc/ld.so.cache',
    ],
    // One small disk for everything that can be written, so that no folder is a way around the limit.
    ...['--size', String(Math.ceil(limits.diskBytes)), '--tmpfs', '/disk'],
    ...['--dir', '/disk/work', '--dir', '/disk/tmp', '--dir', '/disk/shm'],
    ...['--info-fd', String(infoDescriptor)],
    // It ends when its input does, which is when the process that made the sandbox is gone.
    ...['/bin/sh', '-c', 'echo ready; exec cat'],
  ],
  buildExec: ({ holderPid, readOnlyFolders, cwd, env, seccompDescriptor }) => [
    ...['nsenter', '--target', String(holderPid), '--user', '--mount', '--pid', '--net', '--preserve-credentials'],
    // The first process inside shows what it was started with, and the host's mark is none of the sandbox's business.
    ...['env', '-i', `PATH=${HOST_PATH}`],
    ...['bwrap', '--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...listSystem(readOnlyFolders),
    ...['--ro-bind', '/etc', '/etc', '--proc', '/proc', '--dev-bind', '/dev', '/dev'],
    // Nobody has to write into the first process, which waits for the command's end.
    ...['/proc/1/mem', '/proc/1/task/1/mem'].flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...['--bind', '/disk/work', '/work', '--bind', '/disk/tmp', '/tmp', '--bind', '/disk/shm', '/dev/shm'],
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd],
    ...(seccompDescriptor === undefined ? [] : ['--seccomp', String(seccompDescriptor)]),
    '--',
  ],
};

function listSystem(readOnlyFolders: readonly string[]): string[] {
  const system = SYSTEM_FOLDERS.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  return [...system, ...readOnlyFolders.flatMap((path) => ['--ro-bind', path, path])];
}
