import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The folder with pg-boss and DBOS; made by `.ci/setup --peers`, named by .ci/env.sh. Undefined where it was not made. */
export function findJobsPeers(): string | undefined {
  const folder = process.env['LACHESIS_JOBS_PEERS'];
  return folder !== undefined && existsSync(join(folder, 'node_modules')) ? folder : undefined;
}

export const NO_JOBS_PEERS = 'pg-boss and DBOS are not here; `.ci/setup --peers` gets them';

/** Loads what is installed there, and nowhere in this repository. */
export async function importPeer(name: string): Promise<Record<string, unknown>> {
  const folder = findJobsPeers();
  if (folder === undefined) throw new Error(NO_JOBS_PEERS);
  // A file of a package that is none of its entries is named by its path.
  const path = name.endsWith('.js')
    ? join(folder, 'node_modules', name)
    : createRequire(join(folder, 'package.json')).resolve(name);
  return (await import(path)) as Record<string, unknown>;
}
