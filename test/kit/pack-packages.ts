import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { holdLock } from '../../packages/tinker/src/engine/hold-lock.ts';
import { copyDashboard } from './copy-dashboard.ts';

const run = promisify(execFile);
const packages = path.resolve(import.meta.dirname, '../../packages');
const lock = path.resolve(import.meta.dirname, '../../node_modules/.packing');
const LOCK_WAIT_MS = 10 * 60_000;

/**
 * Packs every package as it would be published, and gives the files. What was in the folder is not mixed with them. That of the
 * CLI carries the page where it was built, in a folder of the repository: suites that run side by side pack one after the other.
 */
export async function packPackages(destination: string): Promise<string[]> {
  await rm(destination, { recursive: true, force: true });
  await mkdir(destination, { recursive: true });
  await using _held = await holdLock({ file: lock, purpose: 'packing', waitMs: LOCK_WAIT_MS });
  await copyDashboard();
  const names = await readdir(packages);
  const unbuilt = findUnbuilt(packages, names);
  if (unbuilt.length > 0) throw new Error(`not built yet: ${unbuilt.join(', ')}. Run pnpm packed, or pnpm check`);
  await Promise.all(
    names.map((name) =>
      run('pnpm', ['pack', '--pack-destination', path.resolve(destination)], { cwd: path.join(packages, name) }),
    ),
  );
  return (await readdir(destination)).map((file) => path.join(destination, file));
}

/** Packages that nobody has built: what is packed of them installs well, and has no command. */
export function findUnbuilt(folder: string, names: readonly string[]): string[] {
  return names.filter((name) => !existsSync(path.join(folder, name, 'dist')));
}
