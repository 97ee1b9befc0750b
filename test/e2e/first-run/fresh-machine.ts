import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { packPackages } from '../../kit/pack-packages.ts';
import { findPeerHome } from '../../peers/engine/peer-home.ts';
import { linkEngine } from '../demo/demo-home.ts';

const run = promisify(execFile);

/** How this machine reaches a registry at all; nothing of ours is among them. */
const OF_THE_MACHINE = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no)_proxy|npm_config_registry)$/i;

export interface Place {
  readonly home: string;
  /** Empty. */
  readonly folder: string;
  /** All that programs see. */
  readonly env: Readonly<Record<string, string>>;
}

export interface FreshMachine {
  /** Where docs/get-started/install.md leaves the packages. */
  readonly packages: string;
  /** A user who has not begun: the packed files, and nothing else. */
  openEmpty(name: string): Promise<Place>;
  /** A user who has installed and never used it. */
  openInstalled(name: string, options?: { withModels?: boolean }): Promise<Place>;
}

/**
 * A machine on which nobody ever used Lachesis: a PATH of Node, npm, Python 3.12 and the system, a home of its own, and an
 * environment that is made from nothing. Two things are there before, since only a network makes them: what npm downloaded
 * once (its cache), and the engine's venv with the programs it compiled, laid into the home as links.
 */
export async function prepareMachine(root: string): Promise<FreshMachine> {
  const repository = join(root, 'repository');
  await packPackages(join(repository, 'packed'));
  const shared = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name))),
    ...{
      PATH: await findPath(),
      TERM: 'dumb',
      npm_config_cache: await readNpmCache(),
      npm_config_prefer_offline: 'true',
    },
  };
  const installed = join(root, 'installed');
  const open = async (name: string): Promise<Place> => {
    const home = join(root, name);
    const folder = join(home, 'work');
    await mkdir(folder, { recursive: true });
    await symlink(repository, join(home, 'lachesis'));
    return { home, folder, env: { ...shared, HOME: home } };
  };
  return {
    packages: join(installed, 'lachesis-packages'),
    openEmpty: open,
    async openInstalled(name, { withModels = false } = {}) {
      const place = await open(name);
      await symlink(join(installed, 'lachesis-packages'), join(place.home, 'lachesis-packages'));
      await copyFile(join(installed, '.bashrc'), join(place.home, '.bashrc'));
      await linkEngine(join(place.home, '.lachesis'), { withModels });
      return place;
    },
  };
}

async function findPath(): Promise<string> {
  const { stdout: npm } = await run('bash', ['-c', 'command -v npm']);
  const engine = join(findPeerHome(), 'engine');
  const venv = (await readdir(engine)).find((name) => name.startsWith('venv-'));
  if (venv === undefined) throw new Error(`there is no venv in ${engine}: run .ci/setup`);
  const python = await realpath(join(engine, venv, 'bin', 'python'));
  const folders = [dirname(process.execPath), dirname(npm.trim()), '/usr/bin', '/bin', dirname(python)];
  return [...new Set(folders)].join(delimiter);
}

async function readNpmCache(): Promise<string> {
  const { stdout } = await run('npm', ['config', 'get', 'cache']);
  return stdout.trim();
}
