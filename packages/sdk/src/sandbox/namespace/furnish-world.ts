import type { spawn } from 'node:child_process';

import { startProgram } from '../command/run-command.ts';
import { HOST_PATH } from './host-programs.ts';

/** All terminals of a machine come from one pool of a few thousand; a sandbox gets so many of them. */
const MAX_TERMINALS = 64;
/**
 * Least, first and largest buffer of a connection in either direction. The kernel lets each connection have its least even when
 * the sandbox has used up what all may hold together, so many connections must not be a way around that.
 */
const TCP_BUFFERS = '4096 16384 65536';

const TERMINALS = `mount -n -t devpts -o newinstance,ptmxmode=0666,mode=0600,max=${MAX_TERMINALS} devpts /dev/pts`;
const CONNECTIONS = `for f in tcp_rmem tcp_wmem; do echo ${TCP_BUFFERS} > /proc/sys/net/ipv4/$f; done`;

export interface FurnishWorldOptions {
  /** The first process of the world. */
  readonly worldPid: number;
  readonly isRoot: boolean;
  readonly spawn?: typeof spawn;
}

/**
 * What bubblewrap cannot set up: pseudo terminals, a bounded number for all commands together, and small buffers of TCP. Only
 * root can give terminals: their file system needs a user 0, whom a sandbox does not have. Where it fails there are none,
 * which is a bound as well.
 */
export async function furnishWorld({ worldPid, isRoot, spawn: given }: FurnishWorldOptions): Promise<void> {
  const { spawned, closed } = startProgram({
    argv: [
      ...['nsenter', '--target', String(worldPid), '--mount', '--net'],
      ...(isRoot ? [] : ['--user', '--preserve-credentials']),
      ...['/bin/sh', '-c', isRoot ? `${TERMINALS}; ${CONNECTIONS}` : CONNECTIONS],
    ],
    env: { PATH: HOST_PATH },
    cwd: '/',
    ...(given === undefined ? {} : { spawn: given }),
  });
  await spawned.then(
    async () => void (await closed),
    () => undefined,
  );
}
