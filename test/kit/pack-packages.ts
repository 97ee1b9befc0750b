import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { copyDashboard } from './copy-dashboard.ts';

const run = promisify(execFile);
const packages = path.resolve(import.meta.dirname, '../../packages');

/**
 * Packs every package as it would be published, and gives the files. What was in the folder is not mixed with them. That of the
 * CLI carries the page where it was built.
 */
export async function packPackages(destination: string): Promise<string[]> {
  await rm(destination, { recursive: true, force: true });
  await mkdir(destination, { recursive: true });
  await copyDashboard();
  const names = await readdir(packages);
  await Promise.all(
    names.map((name) =>
      run('pnpm', ['pack', '--pack-destination', path.resolve(destination)], { cwd: path.join(packages, name) }),
    ),
  );
  return (await readdir(destination)).map((file) => path.join(destination, file));
}
