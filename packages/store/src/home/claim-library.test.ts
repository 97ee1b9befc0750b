import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addBlobReference, dropBlobReference } from '../blobs/blob-references.ts';
import { openFileBlobs } from '../blobs/file-blobs.ts';
import type { Store } from '../database/store.ts';
import { StrangeBlobsError } from '../errors/home-errors.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { judgeMeeting } from './claim-library.ts';
import { collectHomeOrphans, collectHomeUnreferenced, openHome, openHomeBlobs } from './open-home.ts';
import { openLibraryBlobs } from './open-library-blobs.ts';

const OLD = new Date(Date.now() - 5 * 60 * 60_000);

async function createFolder() {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-home-'));
  return { home, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
}

/** A payload that was acknowledged, hours ago. */
async function acknowledge(store: Store, home: string, text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const directory = join(home, 'blobs');
  await openFileBlobs({ directory }).put(digest, bytes);
  await utimes(join(directory, digest.slice(0, 2), digest), OLD, OLD);
  await store.commit({ statements: [addBlobReference({ store, tenantId: 't', digest, bytes: bytes.byteLength })] });
  return digest;
}

const refusal = (mismatch: string) => expect.objectContaining({ name: 'StrangeBlobsError', mismatch }) as Error;

describeOnEachDialect('a home', (create) => {
  it('is opened again by its own database, also after it was moved', async () => {
    await using target = await create();
    await using folder = await createFolder();
    const store = await target.open();
    const home = join(folder.home, 'a');
    const first = await openHomeBlobs({ store, home });
    const digest = await acknowledge(store, home, 'one');
    expect((await openHomeBlobs({ store, home })).libraryId).toBe(first.libraryId);
    await rename(home, join(folder.home, 'b'));
    const { blobs } = await openHomeBlobs({ store, home: join(folder.home, 'b') });
    expect(await blobs.get(digest)).toEqual(Buffer.from('one'));
  });

  it('is refused to another database, which would have removed its payloads', async () => {
    await using target = await create();
    await using other = await create();
    await using folder = await createFolder();
    const store = await target.open();
    const { blobs } = await openHomeBlobs({ store, home: folder.home });
    const digest = await acknowledge(store, folder.home, 'one');
    const stranger = await other.open();
    await expect(openHomeBlobs({ store: stranger, home: folder.home })).rejects.toEqual(refusal('another-library'));
    await expect(collectHomeOrphans({ home: { store: stranger, blobs } })).rejects.toEqual(refusal('another-library'));
    expect(await collectHomeOrphans({ home: { store, blobs } })).toMatchObject({ removedBlobs: 0 });
    await blobs.get(digest);
  });

  it('is adopted once when it has no marker, by the database that knows its payloads', async () => {
    await using target = await create();
    await using other = await create();
    await using folder = await createFolder();
    const [store, stranger] = [await target.open(), await other.open()];
    const digest = await acknowledge(store, folder.home, 'one');
    await expect(openHomeBlobs({ store: stranger, home: folder.home })).rejects.toEqual(refusal('unknown-payloads'));
    await openHomeBlobs({ store, home: folder.home });
    await expect(openHomeBlobs({ store: stranger, home: folder.home })).rejects.toEqual(refusal('another-library'));
    await openFileBlobs({ directory: join(folder.home, 'blobs') }).get(digest);
  });

  it('keeps what lay there before it was adopted and is in no row of its database', async () => {
    await using target = await create();
    await using other = await create();
    await using folder = await createFolder();
    const [store, second] = [await target.open(), await other.open()];
    const own = await acknowledge(store, folder.home, 'one');
    const forgotten = await acknowledge(store, folder.home, 'two');
    const strange = await acknowledge(second, folder.home, 'three');
    const { blobs } = await openHomeBlobs({ store, home: folder.home });
    await store.commit({ statements: [dropBlobReference({ store, tenantId: 't', digest: forgotten })] });
    expect(await collectHomeOrphans({ home: { store, blobs } })).toMatchObject({ removedBlobs: 1 });
    await blobs.get(own);
    await blobs.get(strange);
    await expect(blobs.get(forgotten)).rejects.toMatchObject({ name: 'BlobMissingError' });
  });

  it('lets go of what was given up by its rows, and of those rows', async () => {
    await using target = await create();
    await using folder = await createFolder();
    const store = await target.open();
    const { blobs } = await openHomeBlobs({ store, home: folder.home });
    const [own, forgotten, gone] = await Promise.all(
      ['one', 'two', 'three'].map((text) => acknowledge(store, folder.home, text)),
    );
    for (const digest of [forgotten!, gone!]) {
      await store.commit({ statements: [dropBlobReference({ store, tenantId: 't', digest })] });
    }
    await blobs.remove(gone!);
    const collect = () => collectHomeUnreferenced({ home: { store, blobs }, graceMs: 60_000 });
    expect(await collect()).toEqual({ removedBlobs: 1, removedBytes: 3, removedLeftovers: 0 });
    await blobs.get(own!);
    const rows = await store.db.selectFrom('blob_references').select('digest').execute();
    expect(rows).toEqual([{ digest: own }]);
    // Put again and not committed yet: it is young, and stays with its row.
    await store.commit({ statements: [dropBlobReference({ store, tenantId: 't', digest: own! })] });
    await blobs.put(own!, Buffer.from('one'));
    expect(await collect()).toMatchObject({ removedBlobs: 0 });
    await blobs.get(own!);
  });

  it('says what would be collected, and collects nothing', async () => {
    await using target = await create();
    await using folder = await createFolder();
    const store = await target.open();
    const { blobs } = await openHomeBlobs({ store, home: folder.home });
    const digest = await acknowledge(store, folder.home, 'one');
    await store.commit({ statements: [dropBlobReference({ store, tenantId: 't', digest })] });
    const home = { store, blobs };
    expect(await collectHomeOrphans({ home, isDryRun: true })).toMatchObject({ removedBlobs: 1, removedBytes: 3 });
    await blobs.get(digest);
    expect(await collectHomeOrphans({ home })).toMatchObject({ removedBlobs: 1, removedBytes: 3 });
  });

  it('is refused when it is empty and the database has payloads', async () => {
    await using target = await create();
    await using folder = await createFolder();
    const store = await target.open();
    await openHomeBlobs({ store, home: join(folder.home, 'a') });
    await acknowledge(store, join(folder.home, 'a'), 'one');
    await mkdir(join(folder.home, 'b', 'blobs'), { recursive: true });
    await expect(openHomeBlobs({ store, home: join(folder.home, 'b') })).rejects.toEqual(refusal('empty-folder'));
    expect(await readdir(join(folder.home, 'b', 'blobs'))).toEqual([]);
  });

  it('is refused as a copy that was left behind, once the original was opened again', async () => {
    await using target = await create();
    await using folder = await createFolder();
    const store = await target.open();
    const [home, copy] = [join(folder.home, 'a'), join(folder.home, 'b')];
    const { blobs } = await openHomeBlobs({ store, home });
    await acknowledge(store, home, 'one');
    await cp(home, copy, { recursive: true });
    await openHomeBlobs({ store, home });
    await expect(openHomeBlobs({ store, home: copy })).rejects.toEqual(refusal('old-copy'));
    // Its last resort, when the original is lost.
    await rm(join(copy, 'blobs', '.library'));
    await openHomeBlobs({ store, home: copy });
    await expect(collectHomeOrphans({ home: { store, blobs } })).rejects.toEqual(refusal('old-copy'));
  });

  it('may be shared by servers that start at once', async () => {
    await using target = await create();
    await using folder = await createFolder();
    const stores = await Promise.all([1, 2, 3, 4].map(() => target.open()));
    const opened = await Promise.all(stores.map((store) => openHomeBlobs({ store, home: folder.home })));
    expect(new Set(opened.map(({ libraryId }) => libraryId)).size).toBe(1);
    await Promise.all(stores.map((store) => openHomeBlobs({ store, home: folder.home })));
  });
});

it('says how to move to PostgreSQL where that is what was tried, and never touches the payloads', () => {
  const error = new StrangeBlobsError({ directory: '/h/blobs', mismatch: 'another-library', isPostgres: true });
  expect(error.message).toContain('/h/blobs belong to another database');
  expect(error.message).toContain('lachesis data export jsonl');
});

it('opens for a command without looking at payloads until one is needed', async () => {
  await using folder = await createFolder();
  const { store, close } = await openHome({ home: join(folder.home, 'a') });
  await acknowledge(store, join(folder.home, 'b'), 'one');
  await close();
  await mkdir(join(folder.home, 'a', 'blobs'), { recursive: true });
  await using opened = await openHome({ home: join(folder.home, 'a') });
  await expect(opened.blobs.get('a'.repeat(64))).rejects.toEqual(refusal('empty-folder'));
});

it('is opened in a thread only while it is the one that the server opened', async () => {
  await using folder = await createFolder();
  await using opened = await openHome({ home: folder.home });
  const { libraryId, blobs } = await openHomeBlobs({ store: opened.store, home: folder.home });
  await openLibraryBlobs({ place: blobs.place, libraryId });
  await expect(openLibraryBlobs({ place: blobs.place, libraryId: 'other' })).rejects.toThrow('were replaced');
});

it.each([
  [{ known: 'a', marker: 'a', last: true }, 'open'],
  [{ known: 'a', marker: 'a', last: false }, 'old-copy'],
  [{ known: 'a', marker: 'b', last: true }, 'another-library'],
  [{ marker: 'b' }, 'another-library'],
  [{ known: 'a', blobs: false, sampled: 0 }, 'mark'],
  [{ blobs: false, sampled: 0 }, 'mark'],
  [{ blobs: false, sampled: 3 }, 'empty-folder'],
  [{ known: 'a', blobs: false, sampled: 3 }, 'empty-folder'],
  [{ blobs: true, sampled: 0 }, 'unknown-payloads'],
  [{ blobs: true, sampled: 4, found: 2 }, 'mark'],
  [{ known: 'a', blobs: true, sampled: 4, found: 4 }, 'mark'],
  [{ blobs: true, sampled: 4, found: 1 }, 'other-payloads'],
] as const)('judges %j as %s', async (given, verdict) => {
  const { known, marker, last, blobs, sampled, found } = given as {
    [name in 'known' | 'marker']?: string;
  } & { last?: boolean; blobs?: boolean; sampled?: number; found?: number };
  const judged = await judgeMeeting({
    known: known === undefined ? undefined : { libraryId: known, opening: last === undefined ? null : 'x' },
    marker: marker === undefined ? undefined : { libraryId: marker },
    hasOpening: async () => last === true,
    folder: async () => ({ holdsBlobs: blobs === true }),
    payloads: async () => ({ sampled: sampled ?? 0, found: found ?? 0 }),
  });
  expect(judged).toBe(verdict);
});
