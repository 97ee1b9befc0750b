import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { prepareEngine } from '@lachesis/tinker/engine';

import { findPeerHome } from '../../peers/engine/peer-home.ts';
import { preparePeft } from '../peft-download/prepare-peft.ts';

const run = promisify(execFile);
const lock = fileURLToPath(new URL('trl-requirements.lock', import.meta.url));

const INSTALL_TIMEOUT_MS = 10 * 60_000;

export interface TrlPeer {
  /** The interpreter with torch, transformers and peft. */
  readonly python: string;
  /** What it does not have: TRL and datasets. For PYTHONPATH. */
  readonly packages: string;
}

/** Real TRL on the CPU, made on first use: the venv with torch and peft, and a folder on top of it. */
export async function prepareTrl({ log }: { log: (text: string) => void }): Promise<TrlPeer> {
  const python = await preparePeft({ log });
  const home = findPeerHome();
  const key = createHash('sha256')
    .update(await readFile(lock))
    .digest('hex')
    .slice(0, 16);
  const packages = path.join(path.dirname(home), `trl-${key}`);
  const marker = path.join(packages, 'complete');
  if (existsSync(marker)) return { python, packages };
  log('installing TRL and datasets');
  await rm(packages, { recursive: true, force: true });
  const { uv } = await prepareEngine({ home });
  const words = ['pip', 'install', '--quiet', '--no-deps', '--python', python, '--target', packages, '-r', lock];
  await run(uv, words, { timeout: INSTALL_TIMEOUT_MS });
  // If we die before this line, the next run makes it anew.
  await writeFile(marker, '');
  return { python, packages };
}
