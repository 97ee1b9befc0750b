import { randomInt } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setImmediate as afterThis, setTimeout as sleep } from 'node:timers/promises';

import type { Launcher, LaunchOptions, RawResult } from '../command/launcher.ts';
import { followCommand, neverStarted } from '../command/run-command.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { CreateSandbox, SandboxLimits } from '../sandbox.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { confine } from './confine.ts';
import { createUnheldError, openControlGroup } from './control-group.ts';
import type { ControlGroupHome } from './control-group.ts';
import type { BuildQueue } from './create-build-queue.ts';
import { furnishWorld } from './furnish-world.ts';
import { HOST_PATH } from './host-programs.ts';
import { startHolder } from './holder.ts';
import type { Holder } from './holder.ts';
import { listCertificateFolders, openNetwork, type OpenedNetwork, type OpenNetworkOptions } from './open-network.ts';
import { createWarmPool } from './warm-pool.ts';
import type { NamespaceProviderOptions } from './namespace-provider-options.ts';
import { createExecChannel } from './create-exec-channel.ts';
import type { Entrance } from './create-exec-channel.ts';
import { EXEC_PROCESSES, HOLDER_PROCESSES } from './overhead.ts';
import { measureTree } from './processes.ts';
import { createSeccompFilter } from './seccomp-filter.ts';
import { TAG_VARIABLE } from './tag.ts';
import { watchGroup, watchTree } from './watch-limits.ts';

/** Users that no system gives out. Each sandbox gets its own, so that two never own each other's processes. */
const FIRST_UID = 0x6000_0000;
const UID_COUNT = 0x0100_0000;
/** How long the kernel may take to end some hundred processes on a busy machine. */
const LEFTOVER_TIMEOUT_MS = 10_000;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

export interface WorldOptions extends Pick<CreateSandbox, 'network'> {
  readonly given: NamespaceProviderOptions;
  readonly home: ControlGroupHome | undefined;
  readonly limits: SandboxLimits;
  readonly tag: string;
  /** Shared by all sandboxes of a provider. */
  readonly queue: BuildQueue;
}

export interface NamespaceLauncher extends Launcher {
  readonly network: OpenedNetwork | undefined;
}

/** Starts the holder of one sandbox and hands back how commands get into its world. */
export async function startNamespace(options: WorldOptions): Promise<NamespaceLauncher> {
  const { given, home, limits, tag, queue, network } = options;
  const build = given.arguments ?? bubblewrapArguments;
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? (given.uid ?? FIRST_UID + randomInt(UID_COUNT)) : (process.getuid?.() ?? FIRST_UID);
  const certificates = network === undefined ? [] : listCertificateFolders();
  const readOnlyFolders = [...(given.readOnlyFolders ?? []), ...certificates];
  const env = { PATH: HOST_PATH, [TAG_VARIABLE]: tag };
  if (home === undefined && given.controlGroups !== null) throw createUnheldError('this system shows none');
  const group =
    home === undefined
      ? undefined
      : openControlGroup({
          ...{ home, name: tag, memoryBytes: limits.memoryBytes },
          processes: limits.processes + HOLDER_PROCESSES + EXEC_PROCESSES,
        });
  const etc = describeSystem(uid);
  const joins = (group?.joinFiles ?? []).map((file) => openSync(file, constants.O_WRONLY));
  const first = 3 + joins.length;
  let holder: Holder;
  try {
    holder = await startHolder({
      argv: confine({
        ...{
          limits,
          joins: joins.length,
          isHolder: true,
          hasOwnUser: isRoot,
          descriptors: Object.keys(etc).length + 1,
        },
        argv: build.buildHolder({
          ...{ uid, limits, readOnlyFolders, infoDescriptor: first + Object.keys(etc).length },
          etcDescriptors: Object.fromEntries(Object.keys(etc).map((name, index) => [name, first + index])),
        }),
      }),
      env,
      joins,
      descriptors: Object.values(etc),
      ...(isRoot ? { uid } : {}),
      ...(given.spawn === undefined ? {} : { spawn: given.spawn }),
    });
  } catch (error) {
    await group?.remove();
    throw error;
  } finally {
    for (const descriptor of joins) closeSync(descriptor);
  }
  const spawnOption = given.spawn === undefined ? {} : { spawn: given.spawn };
  const opened = await openIfWanted({ worldPid: holder.worldPid, isRoot, network, ...spawnOption }).catch(
    async (error: unknown) => {
      await holder.end();
      await group?.remove();
      throw error;
    },
  );
  let isEnding = false;
  // Whoever made the sandbox does not wait for it, nor for the moment that starting a process takes; the first way in does.
  // A world that is being ended is left alone: its number may soon be another's.
  const furnished = afterThis().then(() =>
    isEnding || !holder.isRunning()
      ? undefined
      : furnishWorld({
          ...{ worldPid: holder.worldPid, isRoot },
          ...(given.spawn === undefined ? {} : { spawn: given.spawn }),
        }),
  );
  const filter = (
    given.createFilter ?? createSeccompFilter.bind(undefined, { hasControlGroup: group !== undefined })
  )();
  let active = 0;
  let count = 0;
  const followExecs = (change: number): void => {
    active += change;
    group?.setProcesses(limits.processes + HOLDER_PROCESSES + EXEC_PROCESSES * Math.max(1, active));
  };
  const cleaning = new Set<Promise<void>>();
  const open = (): Entrance => {
    count += 1;
    const exec = group?.openExec(`exec-${count}`);
    followExecs(1);
    const cleanUp = (): Promise<void> => {
      const one = (exec?.remove() ?? Promise.resolve()).then(() => {
        cleaning.delete(one);
        if (holder.isRunning()) followExecs(-1);
      });
      cleaning.add(one);
      return one;
    };
    try {
      return createExecChannel({
        ...{ limits, exec, filter, env, uid: isRoot ? uid : undefined },
        // SHLVL keeps bash from taking our pipes for a network login, which would read a start file.
        buildArgv: ({ seccomp }) =>
          build.buildExec({
            ...{ holderPid: holder.worldPid, readOnlyFolders, cwd: '/work' },
            env: { PATH, HOME: '/work', LANG: 'C.UTF-8', TMPDIR: '/tmp', SHLVL: '1' },
            ...(filter === undefined ? {} : { seccompDescriptor: seccomp }),
          }),
        ...(given.spawn === undefined ? {} : { spawn: given.spawn }),
        onLeft: cleanUp,
      });
    } catch (error) {
      // Nothing runs in it; who waits for the sandbox's end waits for this too.
      void cleanUp();
      throw error;
    }
  };
  const standby = createWarmPool({ queue, open });
  void furnished.then(() => standby.prepare());

  /** Throws `SandboxError` only if the command has not begun. */
  const enter = async (entrance: Entrance, argv: readonly string[], options: LaunchOptions): Promise<RawResult> => {
    const { exec } = entrance;
    let said = '';
    try {
      const following = followCommand(entrance.program, {
        ...options,
        onStatus: (text) => (said += text),
        kill: () => entrance.kill(),
        watch: (stop, child) =>
          exec === undefined || group === undefined
            ? watchTree({ rootPid: child.pid ?? 0, limits, stop })
            : watchGroup({ group, exec, limits, stop }),
      });
      entrance.order({ argv, cwd: options.cwd, env: options.env });
      const result = await following;
      if (result.end === 'exited' && !said.includes('up')) {
        throw createLostError(`exit ${result.exitCode ?? result.signal ?? 'unknown'}`, result.stderr.toString('utf8'));
      }
      const isOver = entrance.leave();
      // One that was stopped is really gone when we answer. After an ordinary exit the kernel needs a moment to end what
      // was left in the background, for which nobody has to wait.
      if (result.end !== 'exited') await isOver;
      return result;
    } catch (error) {
      await entrance.leave();
      throw error;
    }
  };
  const launch = async (argv: readonly string[], options: LaunchOptions): Promise<RawResult> => {
    await furnished;
    if (options.signal?.aborted === true) return neverStarted();
    if (!holder.isRunning()) throw createLostError('its first process has ended', '');
    try {
      const standing = standby.take();
      if (standing !== undefined) {
        const result = await enter(standing, argv, options).catch((error: unknown) => {
          // It may have been ended while it stood, for want of memory. The command has not begun, so it can have another.
          if (SandboxError.isInstance(error) && isRepeatable(options)) return undefined;
          throw error;
        });
        if (result !== undefined) return result;
      }
      return await enter(open(), argv, options);
    } finally {
      standby.prepare();
    }
  };
  return {
    root: '/work',
    isContained: true,
    network: opened,
    launch,
    async endLeftovers() {
      await Promise.all(cleaning);
      await waitUntilAlone(holder);
    },
    async destroy() {
      isEnding = true;
      const closing = standby.close();
      await opened?.proxy.close();
      await holder.end();
      await Promise.all([closing, furnished]);
      await Promise.all(cleaning);
      await group?.remove();
    },
  };
}

async function openIfWanted({
  network,
  ...place
}: Omit<OpenNetworkOptions, 'network'> & Pick<CreateSandbox, 'network'>): Promise<OpenedNetwork | undefined> {
  return network === undefined ? undefined : openNetwork({ ...place, network });
}

/**
 * A command's process namespace ends with it, and the kernel takes its time to end what is in it. Meanwhile those processes
 * are the holder's, which has none of its own but the few it began with.
 */
async function waitUntilAlone({ pid, isRunning }: Holder): Promise<void> {
  const deadline = performance.now() + LEFTOVER_TIMEOUT_MS;
  for (let pauseMs = 1; isRunning(); pauseMs = Math.min(pauseMs * 2, 50)) {
    if (measureTree(pid).processes <= HOLDER_PROCESSES) return;
    if (performance.now() > deadline) {
      throw new SandboxError({
        kind: 'failed',
        reason: `What commands left running in the sandbox was not gone after ${LEFTOVER_TIMEOUT_MS} ms.`,
        hint: 'Destroy the sandbox; nothing that it says from now on is to be relied on.',
      });
    }
    await sleep(pauseMs);
  }
}

/** A stream may have been read from. */
const isRepeatable = ({ input }: LaunchOptions): boolean =>
  input === undefined || typeof input === 'string' || input instanceof Uint8Array;

/** Files of /etc that programs look for. Nothing of the host's own is shown. */
function describeSystem(uid: number): Record<string, string> {
  return {
    passwd: `sandbox:x:${uid}:${uid}:sandbox:/work:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    group: `sandbox:x:${uid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  };
}

function createLostError(what: string, complaint: string): SandboxError {
  const said = complaint.trim().slice(-300);
  return new SandboxError({
    kind: 'failed',
    reason: `The command could not be started in the sandbox: ${what}${said === '' ? '' : ` (${said})`}.`,
    hint: 'The sandbox is lost; create another one. This says nothing about the command.',
  });
}
