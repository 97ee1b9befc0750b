import { trajectoryFilterSchema, type TrajectoryFilter } from '@lachesis/protocol';
import type { BlobStore, Store } from '@lachesis/store';
import type { Loss } from '@lachesis/data';
import { fail } from '../../terminal/fail.ts';
import { drainHome } from './drain-home.ts';
import { openLocalStore, readStorePlace, type LocalStore } from './open-local-store.ts';
import { readTime } from '../read-time.ts';

export const libraryFlags = {
  home: { type: 'string', description: 'folder of the SQLite database and the blobs [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: 'local', description: 'whose records' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

/** What narrows the trajectories, as `lachesis trajectories list` has it. */
export const filterFlags = {
  text: { type: 'string', description: 'words that occur in them' },
  model: { type: 'string', description: 'recorded from this model' },
  source: { type: 'string', description: 'recorded by: gateway, openai, ai-sdk, …' },
  user: { type: 'string', description: 'on behalf of this person' },
  run: { type: 'string', description: 'only those of this run' },
  tool: { type: 'string', description: 'a tool that was called' },
  tag: { type: 'string', description: 'has this tag' },
  outcome: { type: 'string', description: 'scored, finished, failed or abstained' },
  'min-reward': { type: 'string', description: 'rewarded at least so' },
  'max-reward': { type: 'string', description: 'rewarded at most so' },
  'min-rating': { type: 'string', description: 'rated by people at least so, from 0 to 1' },
  'max-rating': { type: 'string', description: 'rated by people at most so, from 0 to 1' },
  'min-turns': { type: 'string', description: 'at least so many turns' },
  'max-turns': { type: 'string', description: 'at most so many turns' },
  'max-tokens': { type: 'string', description: 'at most so many tokens' },
  since: { type: 'string', description: 'changed since: 30m, 12h, 7d, or a date' },
  until: { type: 'string', description: 'changed before: 30m, 12h, 7d ago, or a date' },
  'with-tokens': { type: 'boolean', description: 'has token ids and logprobs' },
} as const;

const NUMBERS = [
  'min-reward',
  'max-reward',
  'min-rating',
  'max-rating',
  'min-turns',
  'max-turns',
  'max-tokens',
] as const;
const TEXTS = ['text', 'model', 'source', 'user', 'run', 'tool', 'tag', 'outcome'] as const;

export function readFilter(args: Record<string, unknown>): TrajectoryFilter {
  const filter: Record<string, unknown> = {};
  for (const name of TEXTS) if (args[name] !== undefined) filter[name] = args[name];
  for (const name of NUMBERS) {
    if (args[name] !== undefined) filter[name.replace('-', '_')] = readNumber(name, args[name]);
  }
  for (const name of ['since', 'until'] as const) {
    const text = readText(args, name);
    if (text !== undefined) filter[name] = readTime(name, text, Date.now());
  }
  if (args['with-tokens'] === true) filter['has_tokens'] = true;
  const parsed = trajectoryFilterSchema.safeParse(filter);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return fail(`--${issue?.path.join('.').replaceAll('_', '-') ?? 'filter'}: ${issue?.message ?? 'not understood'}`);
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
