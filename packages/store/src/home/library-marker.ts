import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LibraryBlobs } from '../blobs/blob-store.ts';

/** A note beside the blobs. */
const MARKER_NAME = '.library';
/** Before the name of an opening; one that the database remembers and the place lacks was made in another copy. */
const OPENING_PREFIX = '.opening-';
const DAY_MS = 24 * 60 * 60_000;

/** What a place of blobs says about itself. */
export interface LibraryMarker {
  libraryId: string;
  /**
   * When it was marked, if it held blobs already. Those may belong to a database that has not been seen since:
   * the collector leaves what is older and was never in its own rows.
   */
  adoptedAtMs: number | null;
}

/** Undefined when the place has none, or is not there. */
export async function readMarker({ notes, place }: LibraryBlobs): Promise<LibraryMarker | undefined> {
  const text = await notes.read(MARKER_NAME);
  if (text === undefined) return undefined;
  const { library_id: libraryId, adopted_at_ms: adoptedAtMs } = parseObject(text);
  if (typeof libraryId !== 'string' || libraryId === '') {
    throw new Error(
      `${join(place, MARKER_NAME)} is damaged: it should say which database the payloads beside it belong to. ` +
        'Remove it if these are the payloads of this database; they are then looked through and marked again.',
    );
  }
  return { libraryId, adoptedAtMs: typeof adoptedAtMs === 'number' ? adoptedAtMs : null };
}

/**
 * Marks a place, once: a marker that somebody else wrote meanwhile stays, so that of two databases that meet a place
 * at once one only believes that it is its own.
 */
export async function writeMarker({ notes }: LibraryBlobs, { libraryId, adoptedAtMs }: LibraryMarker): Promise<void> {
  const text = JSON.stringify({ library_id: libraryId, adopted_at_ms: adoptedAtMs });
  await notes.writeOnce(MARKER_NAME, `${text}\n`);
}

/** Leaves a sign that this very place was opened, and returns its name. Signs older than a day are cleared. */
export async function signOpening(
  { notes }: LibraryBlobs,
  { now, last }: { now: () => number; last: string | null },
): Promise<string> {
  const opening = randomBytes(8).toString('hex');
  await notes.writeOnce(openingName(opening), '');
  for (const { name, modifiedAtMs } of await notes.list()) {
    if (!name.startsWith(OPENING_PREFIX) || name === openingName(last ?? opening)) continue;
    // Somebody else may clear them too; a leftover of no bytes harms nobody.
    if (modifiedAtMs < now() - DAY_MS) await notes.remove(name).catch(() => undefined);
  }
  return opening;
}

export const hasOpening = async ({ notes }: LibraryBlobs, opening: string): Promise<boolean> =>
  (await notes.read(openingName(opening))) !== undefined;

const openingName = (opening: string): string => `${OPENING_PREFIX}${opening}`;

/** Whether a payload lies in the place. */
export async function holdsBlobs(blobs: LibraryBlobs): Promise<boolean> {
  for await (const _blob of blobs.list()) return true;
  return false;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Told apart by the caller: what it needs is not there.
    return {};
  }
}
