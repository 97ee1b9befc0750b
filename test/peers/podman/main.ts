import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PODMAN_IMAGE, writePodmanSettings } from './start-podman.ts';

const RELEASE = 'bookworm';
const PACKAGES = ['python3', 'util-linux', 'procps'];

/**
 * The base image of container sandboxes for .ci/setup --peers, made once from Debian's packages:
 *
 *     node test/peers/podman/main.ts prepare CACHE     prints the folder for LACHESIS_PODMAN
 */
async function main([verb, cache]: string[]): Promise<number> {
  if (verb !== 'prepare' || cache === undefined) {
    process.stderr.write('usage: main.ts prepare CACHE\n');
    return 2;
  }
  const key = createHash('sha256')
    .update(JSON.stringify([RELEASE, PACKAGES, PODMAN_IMAGE]))
    .digest('hex');
  const store = join(cache, `podman-${key.slice(0, 16)}`);
  if (!existsSync(join(store, 'ready'))) await prepare(store);
  process.stdout.write(`${store}\n`);
  return 0;
}

async function prepare(store: string): Promise<void> {
  const root = join(store, 'root');
  rmSync(store, { recursive: true, force: true });
  mkdirSync(store, { recursive: true });
  const say = { stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[] };
  execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, RELEASE, root], say);
  const scratch = join(store, 'scratch');
  const env = await writePodmanSettings(store, scratch);
  const pack = 'tar -C "$1" -c . | podman import - "$2"';
  execFileSync('sh', ['-c', pack, 'sh', root, PODMAN_IMAGE], { ...say, env });
  rmSync(root, { recursive: true, force: true });
  // From here on it is whole.
  writeFileSync(join(store, 'ready'), '');
}

process.exitCode = await main(process.argv.slice(2));
