import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { findPeerHome } from '../../peers/engine/peer-home.ts';

/** A home with nothing in it but, in the short form, what takes long and was made by .ci/setup: the venv and compiled programs. */
export async function makeHome(folder: string, { isEmpty }: { isEmpty: boolean }): Promise<string> {
  const home = path.join(folder, 'home');
  const engine = path.join(home, 'engine');
  await mkdir(engine, { recursive: true });
  if (isEmpty) return home;
  const made = path.join(findPeerHome(), 'engine');
  if (!existsSync(made)) throw new Error(`${made} is not there: run .ci/setup`);
  for (const name of await readdir(made)) {
    if (name.startsWith('venv-') || name === 'compile-cache') {
      await symlink(path.join(made, name), path.join(engine, name));
    }
  }
  return home;
}
