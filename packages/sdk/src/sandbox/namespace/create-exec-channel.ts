import type { ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

import { feed, startProgram } from '../command/run-command.ts';
import type { RunningProgram } from '../command/run-command.ts';
import type { SandboxLimits } from '../sandbox.ts';
import type { ExecGroup } from './control-group.ts';
import { confine } from './confine.ts';
import { writeGreeting, writeOrder } from './write-order.ts';

export interface OpenEntranceOptions {
  /** Builds the way in, up to and without the shell at its end. */
  readonly buildArgv: (descriptors: { readonly seccomp: number }) => readonly string[];
  readonly limits: SandboxLimits;
  readonly exec: ExecGroup | undefined;
  readonly filter: Uint8Array | undefined;
  /** Undefined: that of this process. */
  readonly uid: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly spawn?: typeof spawn;
  /** Once, when nothing of it is left or it was given up. */
  readonly onLeft: () => Promise<void>;
}

/** A way into a sandbox for one command: a shell behind all the walls that waits to be told what to run. */
export interface Entrance {
  readonly program: RunningProgram;
  readonly exec: ExecGroup | undefined;
  /** It stands, or it has ended. */
  readonly isReady: Promise<void>;
  readonly ended: Promise<void>;
  /** Starts the command. The shell takes one order. */
  order(order: { argv: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }): void;
  kill(): void;
  /** Resolves when what ran in it is gone. May be called twice. */
  leave(): Promise<void>;
  /** Does not keep this program from ending. */
  rest(): void;
  wake(): void;
}

export function createExecChannel(options: OpenEntranceOptions): Entrance {
  const { exec, filter } = options;
  const joins = (exec?.joinFiles ?? []).map((file) => openSync(file, constants.O_WRONLY));
  const [seccomp, input, status] = [0, 1, 2].map((place) => 3 + joins.length + place) as [number, number, number];
  let started: RunningProgram;
  try {
    started = startProgram({
      argv: confine({
        ...{ limits: options.limits, joins: joins.length, isHolder: false, descriptors: 3 },
        hasOwnUser: options.uid !== undefined,
        argv: [...options.buildArgv({ seccomp }), '/bin/sh', '-s'],
      }),
      env: options.env,
      cwd: '/',
      descriptors: [...joins, filter === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.spawn === undefined ? {} : { spawn: options.spawn }),
    });
  } finally {
    for (const descriptor of joins) closeSync(descriptor);
  }
  const { child, spawned, closed } = started;
  const stdin = child.stdin as Writable;
  // It may end before it was told anything or while nobody follows it, which is noticed by its end.
  for (const pipe of child.stdio) pipe?.on('error', () => undefined);
  stdin.write(writeGreeting(status));
  if (filter !== undefined) feed(child.stdio[seccomp] as Writable, filter);
  // Of one that could not be started there is no end to wait for.
  const ended = spawned.then(async () => void (await closed)).catch(() => undefined);
  const greeted = new Promise<void>((resolve) => (child.stdio[status] as Readable).once('data', () => resolve()));
  const kill = (): void => {
    child.kill('SIGKILL');
    exec?.kill();
  };
  let leaving: Promise<void> | undefined;
  return {
    program: { child, spawned, closed, inputDescriptor: input, statusDescriptor: status },
    exec,
    isReady: Promise.race([greeted, ended]),
    ended,
    order: (order) => {
      const descriptors = { inputDescriptor: input, statusDescriptor: status, spareDescriptors: [seccomp] };
      stdin.end(writeOrder({ ...order, ...descriptors }));
    },
    kill,
    leave: () => (leaving ??= options.onLeft()),
    rest: () => setReferenced(child, false),
    wake: () => setReferenced(child, true),
  };
}

function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  const change = isReferenced ? 'ref' : 'unref';
  child[change]();
  for (const pipe of child.stdio) (pipe as { ref?(): void; unref?(): void } | null)?.[change]?.();
}
