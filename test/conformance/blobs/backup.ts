import { addBlobReference, checkBackup, createBackup, openHome, restoreBackup, verifyLibrary } from '@lachesis/store';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../../packages/store/src/blobs/blob-contract.fixture.ts';
import { openS3Blobs } from '../../../packages/store/src/blobs/s3/s3-blobs.ts';
import { readS3Place } from '../../../packages/store/src/blobs/s3/s3-place.ts';
import { createTestDatabase } from '../../kit/create-test-database.ts';
import { findPostgresUrl } from '../../peers/postgres/find-postgres-url.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { flipBit, openBucket, openServer } from './open-bucket.ts';

const PAYLOADS = 50;
const FULL_PAYLOADS = 2_000;

/** From SQLite and one bucket to PostgreSQL and another. */
export const backupScenario: Scenario = {
  name: 'backup',
  title:
    'A backup of a database and its bucket is restored into another database and another bucket, and a flipped bit is found.',
  async run(context) {
    const count = context.full ? FULL_PAYLOADS : PAYLOADS;
    const lines = [
      { name: 'restored', bar: `${count} payloads, 0 faults` },
      { name: 'flipped bit', bar: 'found in rows, manifest, payloads and in the restored bucket' },
      { name: 'mutant', bar: 'a reader that does not check is caught' },
    ];
    const server = await openServer(context, lines);
    if (server === undefined) return;
    const folder = await context.scratch();
    const [from, to] = [await openBucket(server), await openBucket(server)];
    const source = {
      home: join(folder, 'a'),
      databaseUrl: undefined,
      env: { ...server.env, LACHESIS_BLOBS: from.place },
    };
    await using home = await openHome(source);
    const { store } = home;
    const { blobs } = await home.serveBlobs();
    for (let index = 0; index < count; index += 1) {
      const payload = randomBytes(1_000 + index);
      const digest = digestOf(payload);
      await blobs.put(digest, payload);
      await store.commit({
        statements: [addBlobReference({ store, tenantId: 't', digest, bytes: payload.byteLength })],
      });
    }
    const backup = join(folder, 'backup');
    await createBackup({ ...source, folder: backup });
    await using database = await createTestDatabase({ serverUrl: await findPostgresUrl(context) });
    const target = {
      home: join(folder, 'b'),
      databaseUrl: database.url,
      env: { ...server.env, LACHESIS_BLOBS: to.place },
    };
    await restoreBackup({ ...target, folder: backup });
    await using restored = await openHome(target);
    const verify = async (given: Pick<typeof restored, 'blobs'>) =>
      await verifyLibrary({ store: restored.store, blobs: given.blobs, home: target.home });
    const { payloads, faults } = await verify(restored);
    context.report({
      ...lines[0]!,
      figure: `${payloads} payloads, ${faults.length} faults, on ${restored.store.dialect}`,
      ok: payloads === count && faults.length === 0,
    });
    const entries = await readdir(join(backup, 'blobs'), { recursive: true });
    const payload = entries.find((name) => /[0-9a-f]{64}$/.test(name))!;
    let found = 0;
    for (const path of [
      join(backup, 'rows', 'blob_references.jsonl.gz'),
      join(backup, 'manifest.json'),
      join(backup, 'blobs', payload),
    ]) {
      await flipBit(path);
      found += await checkBackup(backup).then(
        (verdict) => (verdict.faults.length > 0 ? 1 : 0),
        () => 1,
      );
      await flipBit(path);
    }
    const isClean = (await checkBackup(backup)).faults.length === 0;
    const [victim] = (await readdir(to.folder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
    await to.damage(victim!);
    // Not through the home, whose cache has the right bytes.
    const inBucket = await verify({ blobs: { ...restored.blobs, get: to.blobs.get } });
    found += inBucket.faults.length === 1 ? 1 : 0;
    context.report({ ...lines[1]!, figure: `${found} of 4, clean before and after`, ok: found === 4 && isClean });
    const { get: blind } = openS3Blobs({ place: readS3Place(to.place, server.env), checkBytes: () => undefined });
    const unseen = await verify({ blobs: { ...restored.blobs, get: blind } });
    const isCaught = unseen.faults.length === 0;
    context.report({ ...lines[2]!, figure: isCaught ? 'caught: it saw nothing' : 'not caught', ok: isCaught });
  },
};
