import { join } from 'node:path';

const DIGEST = /^[0-9a-f]{64}$/;
const PREFIX = /^[0-9a-f]{2}$/;
const TEMPORARY = /^\.[0-9a-f]{64}\.[0-9a-f]+\.tmp$/;
const DISCARDED = /^\.([0-9a-f]{64})\.discarded$/;

/** A path is only ever made from a digest, so no text of a stranger can lead out of the folder. */
export function assertDigest(digest: string): void {
  if (!DIGEST.test(digest)) {
    throw new TypeError(`"${digest}" is not a digest; a blob is named by the sha256 of its bytes in lower-case hex.`);
  }
}

export const isDigest = (name: string): boolean => DIGEST.test(name);
export const isPrefix = (name: string): boolean => PREFIX.test(name);
export const isTemporaryName = (name: string): boolean => TEMPORARY.test(name);

export function prefixDirectory(directory: string, digest: string): string {
  return join(directory, digest.slice(0, 2));
}

export function blobPath(directory: string, digest: string): string {
  return join(prefixDirectory(directory, digest), digest);
}

/** In the same folder as the blob: a rename is atomic only within one file system. */
export function temporaryPath(directory: string, digest: string, suffix: string): string {
  return join(prefixDirectory(directory, digest), `.${digest}.${suffix}.tmp`);
}

/** Where the collector holds a blob while it makes sure that nobody put it again. */
export function discardedPath(directory: string, digest: string): string {
  return join(prefixDirectory(directory, digest), `.${digest}.discarded`);
}

/** The digest of a discarded name, or undefined. */
export function readDiscardedName(name: string): string | undefined {
  return DISCARDED.exec(name)?.[1];
}
