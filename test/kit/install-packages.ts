import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { LachesisCommand } from './lachesis-command.ts';
import { packPackages } from './pack-packages.ts';

const run = promisify(execFile);

/** Packs every package, installs the files with npm in a folder of their own, and gives the command that they bring. */
export async function installPackages(folder: string): Promise<LachesisCommand> {
  const files = await packPackages(join(folder, 'packed'));
  const installed = join(folder, 'installed');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), '{}\n');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...files], { cwd: installed });
  return [process.execPath, join(installed, 'node_modules', 'lachesis', 'dist', 'main.js')];
}
