import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where venv, models and compile cache are kept between runs and shared by all checkouts. */
export function findPeerHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env['LACHESIS_CI_CACHE'] ?? join(env['HOME'] ?? homedir(), '.cache/lachesis-ci'), 'engine-home');
}
