import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { findPeerHome } from '../../peers/engine/peer-home.ts';

/** A home with nothing in it but, in the short form, what takes long and was made by .ci/setup: the venv and compiled programs. */
export async function makeHome(folder: string, { isEmpty }: { isEmpty: boolean }): Promise<string> {
  const home = path.join(folder, 'home');
  if (isEmpty) await mkdir(path.join(home, 'engine'), { recursive: true });
  else await linkEngine(home);
  return home;
}

/** Lays into a home what was downloaded and compiled before. What was made of it, such as models, only when that is asked for. */
export async function linkEngine(home: string, { withModels = false } = {}): Promise<void> {
  const engine = path.join(home, 'engine');
  await mkdir(engine, { recursive: true });
  const made = path.join(findPeerHome(), 'engine');
  if (!existsSync(made)) throw new Error(`${made} is not there: run .ci/setup`);
  // Whoever is the first compiles for all that come after.
  await mkdir(path.join(made, 'compile-cache'), { recursive: true });
  for (const name of await readdir(made)) {
    if (name.startsWith('venv-') || name === 'compile-cache' || (withModels && name === 'models')) {
      await symlink(path.join(made, name), path.join(engine, name));
    }
  }
}
