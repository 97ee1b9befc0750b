import { randomUUID } from 'node:crypto';
import type { LibraryBlobs } from '../blobs/blob-store.ts';
import { toBlobError } from '../blobs/file-error.ts';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { DiskFullError } from '../errors/disk-full-error.ts';
import { StrangeBlobsError, type BlobsMismatch } from '../errors/home-errors.ts';
import { hasOpening, holdsBlobs, readMarker, signOpening, writeMarker } from './library-marker.ts';
import type { LibraryMarker } from './library-marker.ts';

export interface ClaimLibraryOptions {
  store: Store;
  blobs: LibraryBlobs;
  /** A server leaves a sign of its opening, so that a copy left behind is known as one; a command only looks. */
  isServer: boolean;
  now?: () => number;
}

/** Payloads of the database that are looked for in a folder without a marker. */
const SAMPLED_PAYLOADS = 32;

/** What can be known of a database and a folder that meet. */
export interface Meeting {
  /** What the database remembers. */
  known: { libraryId: string; opening: string | null } | undefined;
  marker: Pick<LibraryMarker, 'libraryId'> | undefined;
  /** Whether the last opening that the database remembers left its sign in the folder. */
  hasOpening: (opening: string) => Promise<boolean>;
  /** Asked only where there is no marker. */
  folder: () => Promise<{ holdsBlobs: boolean }>;
  /** Some payloads of the database, and how many of those are in the folder; asked only where there is no marker. */
  payloads: () => Promise<{ sampled: number; found: number }>;
}

/** Whether the folder is the database's own: `open` it, `mark` it as such, or what is wrong. */
export async function judgeMeeting(meeting: Meeting): Promise<BlobsMismatch | 'mark' | 'open'> {
  const { known, marker } = meeting;
  if (marker !== undefined) {
    if (marker.libraryId !== known?.libraryId) return 'another-library';
    return known.opening === null || (await meeting.hasOpening(known.opening)) ? 'open' : 'old-copy';
  }
  const { sampled, found } = await meeting.payloads();
  if (!(await meeting.folder()).holdsBlobs) return sampled === 0 ? 'mark' : 'empty-folder';
  if (sampled === 0) return 'unknown-payloads';
  return found * 2 >= sampled ? 'mark' : 'other-payloads';
}

/**
 * Makes sure that a folder of blobs is the one of this database, and marks it when neither is marked yet. The row is
 * written before the file: if we die between the two, the next opening finds a folder without a marker and judges it anew.
 */
export async function claimLibrary(options: ClaimLibraryOptions): Promise<LibraryMarker> {
  const { store, blobs, isServer, now = Date.now } = options;
  let marker = await readMarker(blobs);
  let known = await readKnown(store);
  const verdict = await judgeMeeting({
    known,
    marker,
    hasOpening: (opening) => hasOpening(blobs, opening),
    folder: async () => ({ holdsBlobs: await holdsBlobs(blobs) }),
    payloads: () => samplePayloads(store, blobs),
  });
  if (verdict === 'mark') {
    known ??= await remember(store);
    const adoptedAtMs = (await holdsBlobs(blobs)) ? now() : null;
    await writeMarker(blobs, { libraryId: known.libraryId, adoptedAtMs });
    // Another database may have marked it in the meantime.
    marker = await readMarker(blobs);
    if (marker?.libraryId !== known.libraryId) throw refuse('another-library', options);
  } else if (verdict !== 'open') {
    throw refuse(verdict, options);
  }
  if (marker === undefined || known === undefined) throw refuse('another-library', options);
  if (isServer) await countOpening(store, () => signOpening(blobs, { now, last: known?.opening ?? null }));
  return marker;
}

/** Looks again, without marking or counting: what was right at the start may have been replaced since. */
export async function checkLibrary(options: { store: Store; blobs: LibraryBlobs }): Promise<LibraryMarker> {
  const { store, blobs } = options;
  const marker = await readMarker(blobs);
  const known = await readKnown(store);
  if (marker === undefined) throw refuse('empty-folder', options);
  if (marker.libraryId !== known?.libraryId) throw refuse('another-library', options);
  if (known.opening !== null && !(await hasOpening(blobs, known.opening))) throw refuse('old-copy', options);
  return marker;
}

const refuse = (mismatch: BlobsMismatch, { store, blobs }: Pick<ClaimLibraryOptions, 'blobs' | 'store'>) =>
  new StrangeBlobsError({ directory: blobs.place, mismatch, isPostgres: store.dialect === 'postgres' });

async function readKnown(store: Store): Promise<Meeting['known']> {
  const row = await store.db.selectFrom('library').selectAll().where('slot', '=', 1).executeTakeFirst();
  return row === undefined ? undefined : { libraryId: row.library_id, opening: row.opening };
}

/** Another process may do the same: both take the id that was written first. */
async function remember(store: Store): Promise<NonNullable<Meeting['known']>> {
  await store.db
    .insertInto('library')
    .values({ slot: 1, library_id: randomUUID(), opening: null, created_at: databaseClock(store.dialect) })
    .onConflict((conflict) => conflict.column('slot').doNothing())
    .execute();
  const known = await readKnown(store);
  if (known === undefined) throw new Error('The database did not keep the id of its payloads.');
  return known;
}

async function samplePayloads(store: Store, blobs: LibraryBlobs): Promise<{ sampled: number; found: number }> {
  const rows = await store.db
    .selectFrom('blob_references')
    .select('digest')
    .where('reference_count', '>', 0)
    .limit(SAMPLED_PAYLOADS)
    .execute();
  const found = await Promise.all(rows.map(({ digest }) => blobs.has(digest)));
  return { sampled: rows.length, found: found.filter(Boolean).length };
}

/** The folder first and the database after: what the database remembers always has its sign, also if we die between the two. */
async function countOpening(store: Store, sign: () => Promise<string>): Promise<void> {
  let opening: string;
  try {
    opening = await sign();
  } catch (error) {
    // A full disk must not keep a server from serving what is there; only this opening stays uncounted.
    if (DiskFullError.isInstance(toBlobError(error, 'the sign of an opening'))) return;
    throw error;
  }
  await store.db.updateTable('library').set({ opening }).where('slot', '=', 1).execute();
}
