import { randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSandboxOver } from '../command/create-sandbox-over.ts';
import type { Launcher } from '../command/launcher.ts';
import { killFamily, rememberChildren } from '../command/kill-family.ts';
import { runCommand } from '../command/run-command.ts';
import { resolveLimits } from '../limits.ts';
import { findProcessesByVariable, killProcess } from '../namespace/processes.ts';
import { refuseNetwork } from '../refuse-network.ts';
import type { Sandbox, SandboxProvider } from '../sandbox.ts';

const PREFIX = 'lachesis-local-';
const OWNER_FILE = 'owner.json';
/** By which processes that left their group are found. */
const MARK = 'LACHESIS_LOCAL_SANDBOX';

export interface LocalProviderOptions {
  /** Where the work folders are made; the system's temporary folder without it. */
  readonly folder?: string;
}

/**
 * Commands as this user, on this machine, in a folder of their own. It is NO wall: they can read your files, use your
 * network and stay behind. For work you trust, such as your own reference solutions; never for what a model wrote.
 */
export function createLocalProvider({ folder = tmpdir() }: LocalProviderOptions = {}): SandboxProvider {
  const living = new Map<string, Sandbox>();
  return {
    name: 'local',
    async create(options) {
      refuseNetwork('local', options);
      const limits = resolveLimits(options.limits);
      const id = randomBytes(6).toString('hex');
      const home = await mkdtemp(join(folder, PREFIX));
      const root = join(home, 'work');
      await mkdir(root);
      await writeFile(join(home, OWNER_FILE), JSON.stringify({ owner: options.owner, pid: process.pid, id }));
      const running = new Set<ChildProcess>();
      const launcher: Launcher = {
        root,
        isContained: false,
        launch: async (argv, launchOptions) => {
          const script = `ulimit -c 0; ulimit -t ${Math.ceil(limits.cpuSeconds)}; exec "$@"`;
          return runCommand({
            ...launchOptions,
            argv: ['/bin/sh', '-c', script, 'sh', ...argv],
            env: {
              ...{ PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: root, LANG: 'C.UTF-8', TMPDIR: tmpdir() },
              ...launchOptions.env,
              [MARK]: id,
            },
            isDetached: true,
            kill: killFamily,
            spawn: rememberChildren(running),
          });
        },
        async endLeftovers() {
          for (const { pid, value } of findProcessesByVariable(MARK)) if (value === id) killProcess(pid);
        },
        async destroy() {
          for (const child of running) killFamily(child);
          await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
        },
      };
      const sandbox = await createSandboxOver({ id, launcher, limits, options, onDestroyed: () => living.delete(id) });
      living.set(id, sandbox);
      return sandbox;
    },
    async reap(owner) {
      const names = (await readdir(folder)).filter((name) => name.startsWith(PREFIX));
      const removed = await Promise.all(
        names.map(async (name) => {
          const label: unknown = JSON.parse(await readFile(join(folder, name, OWNER_FILE), 'utf8').catch(() => 'null'));
          if (typeof label !== 'object' || label === null) return 0;
          if (!('owner' in label) || label.owner !== owner || !('id' in label) || living.has(String(label.id)))
            return 0;
          await rm(join(folder, name), { recursive: true, force: true });
          return 1;
        }),
      );
      return removed.reduce<number>((sum, each) => sum + each, 0);
    },
    async close() {
      await Promise.all([...living.values()].map((sandbox) => sandbox.destroy()));
    },
  };
}
