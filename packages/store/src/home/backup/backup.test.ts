import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addBlobReference, dropBlobReference } from '../../blobs/blob-references.ts';
import type { Store } from '../../database/store.ts';
import { BackupDamagedError, BackupPlaceError } from '../../errors/backup-errors.ts';
import { createEventRow } from '../../events/create-event-row.ts';
import { describeOnEachDialect, type TestTarget } from '../../testing/test-stores.fixture.ts';
import { acquireWork } from '../../work/lease-work.ts';
import { createWorkJob } from '../../work/create-work-job.ts';
import { openHome, type Home } from '../open-home.ts';
import { checkBackup } from './check-backup.ts';
import { createBackup } from './create-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { verifyLibrary } from './verify-library.ts';

const TEXTS = ['one', 'two', 'three'];
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const tenantId = 't';
const job = { tenantId, name: 'job' };

/** Payloads, one of which nobody refers to any more, a chain of events, and bytes in a column. */
async function fill({ store, serveBlobs }: Pick<Home, 'serveBlobs' | 'store'>): Promise<void> {
  const { blobs } = await serveBlobs();
  for (const text of TEXTS) {
    await blobs.put(digestOf(text), Buffer.from(text));
    const bytes = text.length;
    await store.commit({ statements: [addBlobReference({ store, tenantId, digest: digestOf(text), bytes })] });
  }
  await store.commit({ statements: [dropBlobReference({ store, tenantId, digest: digestOf('three') })] });
  let hash = '';
  for (const [index, kind] of ['a', 'b', 'c'].entries()) {
    const row = createEventRow(hash, { tenantId, runId: 'r', cursor: index + 1, kind, at: 5, data: { kind } });
    await store.db.insertInto('events').values(row).execute();
    hash = row.hash;
  }
  if (store.dialect === 'sqlite')
    await sql`insert into turn_search (rowid, body) values (7, 'words')`.execute(store.db);
  // Rows that may only be there behind others, whose tables come later in the alphabet.
  const run = { tenant_id: tenantId, run_id: 'r' };
  const incarnation = { tenant_id: tenantId, incarnation_id: 'i' };
  await store.db
    .insertInto('runs')
    .values({ ...run, name: 'r', created_at: 1 })
    .execute();
  const opened = { version: 0, state: '{}', opened_at: 1, closed_at: null, close_reason: null };
  await store.db
    .insertInto('run_incarnations')
    .values({ ...run, ...incarnation, ordinal: 0, ...opened })
    .execute();
  const named = {
    environment_id: 'e',
    desired_name: 'e',
    real_name: 'e',
    weight: 1,
    max_context_len: 8,
    group_size: 2,
  };
  const left = { connected: 1, registered_at: 1, disconnected_at: null, reason: null, min_batch_allocation: null };
  await store.db
    .insertInto('environments')
    .values({ ...incarnation, ordinal: 0, ...named, ...left })
    .execute();
  await createWorkJob({ store, blobs, ...job, settings: {}, inputs: [{ prompt: 'bytes' }] });
}

async function openWorld(create: () => Promise<TestTarget>) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-backup-'));
  const [from, to] = [await create(), await create()];
  const place = (name: string, { address }: TestTarget) => ({
    home: join(folder, name),
    databaseUrl: address.databaseUrl,
  });
  const source = place('home', from);
  await using home = await openHome(source);
  await fill(home);
  const target = place('restored', to);
  return {
    ...{ folder, source, target, backup: join(folder, 'backup') },
    async [Symbol.asyncDispose]() {
      await from[Symbol.asyncDispose]();
      await to[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function verify(place: { home: string; databaseUrl: string | undefined }) {
  await using opened = await openHome(place);
  return await verifyLibrary({ store: opened.store, blobs: opened.blobs, home: place.home });
}

async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 4;
  await writeFile(path, bytes);
}

async function change(
  place: { home: string; databaseUrl: string | undefined },
  work: (store: Store) => Promise<unknown>,
) {
  await using opened = await openHome(place);
  await work(opened.store);
}

describeOnEachDialect('a backup', (create) => {
  it('is restored as it was, with an id of its own, and goes on', async () => {
    await using world = await openWorld(create);
    const made = await createBackup({ ...world.source, folder: world.backup });
    expect(made).toMatchObject({ blobs: { count: 2, bytes: 6 }, letGo: [] });
    expect((await checkBackup(world.backup)).faults).toEqual([]);
    await restoreBackup({ ...world.target, folder: world.backup });
    expect(await verify(world.target)).toMatchObject({ payloads: 2, bytes: 6, chains: 1, events: 3, faults: [] });
    await using home = await openHome(world.target);
    const { libraryId, blobs } = await home.serveBlobs();
    expect(libraryId).not.toBe(made.libraryId);
    const { store } = home;
    if (store.dialect === 'sqlite') {
      const found = await sql`select rowid from turn_search where turn_search match 'words'`.execute(store.db);
      expect(found.rows).toEqual([{ rowid: 7 }]);
    }
    expect(await acquireWork({ store, blobs, ...job, holder: 'me', leaseSeconds: 60, count: 1 })).toMatchObject([
      { input: { prompt: 'bytes' } },
    ]);
  });

  it('is refused where something is, and never half taken', async () => {
    await using world = await openWorld(create);
    await createBackup({ ...world.source, folder: world.backup });
    await expect(createBackup({ ...world.source, folder: world.backup })).rejects.toSatisfy(
      BackupPlaceError.isInstance,
    );
    await expect(restoreBackup({ ...world.source, folder: world.backup })).rejects.toSatisfy(
      BackupPlaceError.isInstance,
    );
    const elsewhere = { ...world.source, home: join(world.folder, 'elsewhere') };
    if (world.source.databaseUrl !== undefined) {
      await expect(restoreBackup({ ...elsewhere, folder: world.backup })).rejects.toThrow('is not new');
    }
    await rm(join(world.backup, 'manifest.json'));
    await expect(restoreBackup({ ...world.target, folder: world.backup })).rejects.toThrow('was not finished');
  });

  it('shows a flipped bit in every file of it', async () => {
    await using world = await openWorld(create);
    await createBackup({ ...world.source, folder: world.backup });
    const names = await readdir(world.backup, { recursive: true, withFileTypes: true });
    const files = names
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.parentPath.endsWith('audit'))
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(40);
    const isFilled = (file: string): boolean => /events|blob_references|work_items|manifest|[/\\]blobs[/\\]/.test(file);
    for (const file of files.filter((each) => isFilled(each))) {
      await flipBit(file);
      const found = await checkBackup(world.backup).then(
        ({ faults }) => faults.length,
        (error: unknown) => (BackupDamagedError.isInstance(error) ? 1 : 0),
      );
      expect(found, file).toBeGreaterThan(0);
      await flipBit(file);
    }
    expect((await checkBackup(world.backup)).faults).toEqual([]);
  });

  it('says what was let go of while it was made', async () => {
    await using world = await openWorld(create);
    await using home = await openHome(world.source);
    const { store } = home;
    // Gone after the moment of the rows: the count is dropped when the payload is asked for.
    const { blobs } = await home.serveBlobs();
    await blobs.remove(digestOf('two'));
    const forget = { statements: [dropBlobReference({ store, tenantId, digest: digestOf('two') })] };
    await expect(createBackup({ ...world.source, folder: `${world.backup}-a` })).rejects.toThrow('There is no blob');
    const made = await createBackup({
      ...{ ...world.source, folder: world.backup },
      onRows: async () => void (await store.commit(forget)),
    });
    expect(made.letGo).toEqual([digestOf('two')]);
    expect((await checkBackup(world.backup)).faults).toEqual([]);
  });

  it.each([
    [
      'an event that was changed',
      (store: Store) => store.db.updateTable('events').set({ at: 6 }).where('cursor', '=', 2).execute(),
      'event 2',
    ],
    [
      'an event that is missing',
      (store: Store) => store.db.deleteFrom('events').where('cursor', '=', 2).execute(),
      'event 2',
    ],
  ])('of a library shows %s', async (_name, work, fault) => {
    await using world = await openWorld(create);
    await change(world.source, work);
    const { faults } = await verify(world.source);
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });
});
