import { verifyLibrary, type Home } from '@lachesis/store';
import { BlobMissingError } from '../../../packages/store/src/errors/blob-errors.ts';
import type { FilledHome } from './fill-home.ts';

/** Everything that is there and should be gone, or gone and should be there. */
export async function judgeHome(home: Home, filled: FilledHome, path: string): Promise<string[]> {
  const { store, blobs } = home;
  const { faults } = await verifyLibrary({ store, blobs, home: path });
  const { db } = store;
  const old = 'old-incarnation';
  const found = {
    groups: await db.selectFrom('groups').select('group_id').where('incarnation_id', '=', old).execute(),
    places: await db.selectFrom('ready_groups').select('group_id').where('incarnation_id', '=', old).execute(),
    fates: await db.selectFrom('group_fates').select('group_id').where('incarnation_id', '=', old).execute(),
    batches: await db.selectFrom('batches').select('batch_id').where('incarnation_id', '=', old).execute(),
    events: await db.selectFrom('events').select('cursor').where('run_id', '=', filled.runId).execute(),
    keys: await db.selectFrom('idempotency_keys').select('key').where('run_id', '=', filled.runId).execute(),
    records: await db.selectFrom('trajectories').select('trajectory_id').where('source', '=', 'chaos').execute(),
  };
  const expected = {
    ...{ groups: filled.waiting.length, places: filled.waiting.length, fates: 0, batches: 0, keys: 0, records: 0 },
    // The newest stays, for the next one to name it.
    events: 1,
    'payloads that are needed': filled.waitingDigests.length,
    'payloads that are not': 0,
  };
  const counts = {
    ...Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, rows.length])),
    'payloads that are needed': await countThere(home, filled.waitingDigests),
    'payloads that are not': await countThere(home, filled.settledDigests),
  } as typeof expected;
  const wrong = Object.entries(expected).flatMap(([name, count]) => {
    const left = counts[name as keyof typeof expected];
    return left === count ? [] : [`${left} ${name} instead of ${count}`];
  });
  return [...faults, ...wrong];
}

async function countThere({ blobs }: Home, digests: readonly string[]): Promise<number> {
  let there = 0;
  for (const digest of digests) {
    there += await blobs.get(digest).then(
      () => 1,
      (error: unknown) => {
        if (BlobMissingError.isInstance(error)) return 0;
        throw error;
      },
    );
  }
  return there;
}
