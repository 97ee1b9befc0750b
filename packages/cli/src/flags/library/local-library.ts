import type { TrajectoryFilter } from '@lachesis/protocol';
import type { BlobStore, Store } from '@lachesis/store';
import type { Loss } from '@lachesis/data';
import { fail } from '../../terminal/fail.ts';
import { drainHome } from './drain-home.ts';
import { openLocalStore, readStorePlace, type LocalStore } from './open-local-store.ts';
import { filterFlags as allFilters, readFilter as readAllFilters } from '../filter.ts';

export const libraryFlags = {
  home: { type: 'string', description: 'folder of the SQLite database and the blobs [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: 'local', description: 'whose records' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

const { consent: _consent, split: _split, ...otherFilters } = allFilters;

/**
 * What narrows the trajectories, as `lachesis trajectories list` has it. What a set or an export is for, and its shares, are
 * flags of their own here.
 */
export const filterFlags = {
  text: { type: 'string', description: 'words that were said, names of tools, or an id' },
  ...otherFilters,
} as const;

export function readFilter(args: Record<string, unknown>): TrajectoryFilter {
  const text = readText(args, 'text');
  return {
    ...readAllFilters({ ...args, consent: undefined, split: undefined }, Date.now()),
    ...(text === undefined ? {} : { text }),
  };
}

/** An option that was typed with a value. */
export function readText(args: Record<string, unknown>, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

export function readNumber(name: string, value: unknown): number {
  const number = Number(value);
  if (value === '' || !Number.isFinite(number))
    fail(`--${name} wants a number, and ${JSON.stringify(value)} was given.`);
  return number;
}

export interface Library {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  audit: LocalStore['audit'];
}

/** Opens the library of this machine for one command. What recorders have left is brought in first, so that the last call is there to be seen. */
export async function withLibrary(
  args: Record<string, unknown>,
  work: (library: Library) => Promise<void>,
): Promise<void> {
  const place = readStorePlace(args);
  await using local = await openLocalStore(place);
  const { store, blobs, audit } = local;
  await drainHome({ local, place });
  await work({ store, blobs, tenantId: readText(args, 'tenant') ?? 'local', audit });
}

/** What was left out, for people. */
export function formatLosses(losses: readonly Loss[]): string {
  return losses.map(({ field, count, reason }) => `  ${count} × ${field}: ${reason}\n`).join('');
}

/** For `.catch`: the sentence alone. */
export function failWithSentence(error: unknown): never {
  return fail(error instanceof Error ? error.message : String(error));
}
