import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startHub } from '../../../packages/sdk/src/hub/testing/start-hub.fixture.ts';
import { findPeerHome } from '../../peers/engine/peer-home.ts';
import type { FreshMachine } from './fresh-machine.ts';

const run = promisify(execFile);
const REPOSITORY = 'acme/tiny';
const LARGE = ['model.safetensors'];

const OURS = `import { loadTokenizer } from '@lachesis/sdk/render';
const tokenizer = await loadTokenizer({ model: process.argv[2] });
console.log((await tokenizer.encode('Say seven.')).length);
`;
const THEIRS = `import sys
from huggingface_hub import snapshot_download
print(snapshot_download(sys.argv[1], local_files_only=len(sys.argv) > 2, allow_patterns=sys.argv[3:] or None))
`;

export interface HubUse {
  /** Tokens of a sentence, by the tokenizer that was fetched. */
  readonly tokens: number;
  /** Files that came through our client, and how many of them have the bytes that the Python client got. */
  readonly fetched: number;
  readonly same: number;
  /** What was put in the cache by ours is found there by theirs, without asking. */
  readonly isFoundByTheirs: boolean;
}

/** A tokenizer by its name on a hub, on a machine that has never seen it: with the installed package, and with the official client. */
export async function useHub(machine: FreshMachine): Promise<HubUse> {
  const { home, folder, env } = await machine.openInstalled('hub');
  const model = join(findPeerHome(), 'engine', 'models', 'tiny-qwen3');
  const names = await readdir(model);
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(model, name))] as const)),
  );
  await using hub = await startHub({ repositories: { [REPOSITORY]: { files, large: LARGE } } });
  const variables = { ...env, HF_ENDPOINT: hub.url };
  // Beside the packages, where the program finds them.
  const program = join(machine.packages, 'use-hub.mjs');
  await writeFile(program, OURS);
  const ours = await run(process.execPath, [program, REPOSITORY], { cwd: folder, env: variables });
  const cache = join(home, '.cache', 'huggingface', 'hub', 'models--acme--tiny', 'snapshots');
  const [commit = 'none'] = await readdir(cache);
  const fetched = await readdir(join(cache, commit));
  const theirs = await download({ ...variables, HF_HOME: join(home, 'theirs') }, []);
  const same = await Promise.all(
    fetched.map(async (name) => (await readFile(join(cache, commit, name))).equals(await readFile(join(theirs, name)))),
  );
  const found = await download({ ...variables, HF_ENDPOINT: 'http://127.0.0.1:9' }, ['offline', ...fetched]);
  return {
    tokens: Number(ours.stdout),
    fetched: fetched.length,
    same: same.filter(Boolean).length,
    isFoundByTheirs: found === join(cache, commit),
  };
}

async function download(env: Readonly<Record<string, string>>, more: readonly string[]): Promise<string> {
  const python = process.env['LACHESIS_TRANSFORMERS_PYTHON'];
  if (python === undefined)
    throw new Error('LACHESIS_TRANSFORMERS_PYTHON is not set: run .ci/setup, then `. .ci/env.sh`');
  const { stdout } = await run(python, ['-c', THEIRS, REPOSITORY, ...more], { env });
  return stdout.trim();
}
