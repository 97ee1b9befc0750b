import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { prepareEngine } from '@lachesis/tinker/engine';

import { findPeerHome } from '../../peers/engine/peer-home.ts';

const run = promisify(execFile);
const lock = fileURLToPath(new URL('requirements.lock', import.meta.url));

/** 6 GB: a minute on a fast line. */
const INSTALL_TIMEOUT_MS = 30 * 60_000;

/** The interpreter of a venv with real torch and peft, made on first use and kept beside the other peers. */
export async function preparePeft({ log }: { log: (text: string) => void }): Promise<string> {
  const home = findPeerHome();
  const { uv, python } = await prepareEngine({ home });
  const key = createHash('sha256')
    .update(await readFile(lock))
    .digest('hex')
    .slice(0, 16);
  const folder = path.join(path.dirname(home), `peft-${key}`);
  const own = path.join(folder, 'bin/python');
  const marker = path.join(folder, 'complete');
  if (existsSync(marker)) return own;
  log('installing torch and peft (6 GB)');
  await rm(folder, { recursive: true, force: true });
  const options = { timeout: INSTALL_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  await run(uv, ['venv', '--quiet', '--no-project', '--python', python, folder], options);
  await run(uv, ['pip', 'install', '--quiet', '--no-deps', '--python', own, '-r', lock], options);
  // If we die before this line, the next run makes it anew.
  await writeFile(marker, '');
  return own;
}
