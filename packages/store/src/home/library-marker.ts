import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDigest, isPrefix } from '../blobs/blob-paths.ts';
import { nodeFileCalls, type FileStatus } from '../blobs/file-calls.ts';
import { isMissing, isTaken } from '../blobs/file-error.ts';
import { runStepsSync } from '../blobs/file-steps.ts';
import { syncDirectory, writeDurably } from '../blobs/put-steps.ts';

/** In the folder of the blobs; a hidden name, so that a listing of blobs never meets it. */
const MARKER_NAME = '.library';
/** Before the name of an opening; one that the database remembers and the folder lacks was made in another copy. */
const OPENING_PREFIX = '.opening-';
const DAY_MS = 24 * 60 * 60_000;

/** What a folder of blobs says about itself. */
export interface LibraryMarker {
  libraryId: string;
  /**
   * When it was marked, if it held blobs already. Those may belong to a database that has not been seen since:
   * the collector leaves what is older and was never in its own rows.
   */
  adoptedAtMs: number | null;
}

/** Undefined when the folder has none, or is not there. */
export function readMarker(directory: string): LibraryMarker | undefined {
  const path = join(directory, MARKER_NAME);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const { library_id: libraryId, adopted_at_ms: adoptedAtMs } = parseObject(text);
  if (typeof libraryId !== 'string' || libraryId === '') {
    throw new Error(
      `${path} is damaged: it should say which database the payloads beside it belong to. ` +
        'Remove it if these are the payloads of this database; they are then looked through and marked again.',
    );
  }
  return { libraryId, adoptedAtMs: typeof adoptedAtMs === 'number' ? adoptedAtMs : null };
}

/**
 * Marks a folder, once: a marker that somebody else wrote meanwhile stays, so that of two databases that meet a folder
 * at once one only believes that it is its own. If we die before the name is there, nothing has changed.
 */
export function writeMarker(directory: string, { libraryId, adoptedAtMs }: LibraryMarker): void {
  const text = JSON.stringify({ library_id: libraryId, adopted_at_ms: adoptedAtMs });
  const path = join(directory, MARKER_NAME);
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  nodeFileCalls.makeDirectory(directory);
  try {
    runStepsSync(writeDurably(temporary, Buffer.from(`${text}\n`)), nodeFileCalls);
    nodeFileCalls.link(temporary, path);
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    removeQuietly(temporary);
  }
  runStepsSync(syncDirectory(directory), nodeFileCalls);
}

/** Leaves a sign that this very folder was opened, and returns its name. Signs older than a day are cleared. */
export function signOpening(directory: string, { now, last }: { now: () => number; last: string | null }): string {
  const opening = randomBytes(8).toString('hex');
  runStepsSync(writeDurably(openingPath(directory, opening), new Uint8Array()), nodeFileCalls);
  runStepsSync(syncDirectory(directory), nodeFileCalls);
  for (const name of listQuietly(directory).filter((each) => each.startsWith(OPENING_PREFIX))) {
    const path = join(directory, name);
    if (path !== openingPath(directory, last ?? opening) && isOlder(path, now() - DAY_MS)) removeQuietly(path);
  }
  return opening;
}

export const hasOpening = (directory: string, opening: string): boolean => isThere(openingPath(directory, opening));

const openingPath = (directory: string, opening: string): string => join(directory, `${OPENING_PREFIX}${opening}`);

export function isThere(path: string): boolean {
  return readStatus(path) !== undefined;
}

const isOlder = (path: string, ms: number): boolean => (readStatus(path)?.modifiedAtMs ?? ms) < ms;

function readStatus(path: string): FileStatus | undefined {
  try {
    return nodeFileCalls.status(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether a payload lies in the folder. */
export function holdsBlobs(directory: string): boolean {
  return listQuietly(directory)
    .filter((name) => isPrefix(name))
    .some((prefix) => listQuietly(join(directory, prefix)).some((name) => isDigest(name)));
}

function listQuietly(path: string): string[] {
  try {
    return nodeFileCalls.listDirectory(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function removeQuietly(path: string): void {
  try {
    nodeFileCalls.remove(path);
  } catch {
    // It was never made, or somebody removed it first; a leftover of a few bytes harms nobody.
  }
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
