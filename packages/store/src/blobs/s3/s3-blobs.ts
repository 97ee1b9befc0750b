import { BlobMissingError } from '../../errors/blob-errors.ts';
import { assertDigest, isDigest } from '../blob-paths.ts';
import { checkBytes } from '../check-bytes.ts';
import type { BlobEntry, LibraryBlobs } from '../blob-store.ts';
import { checksumHeaders } from './checksum-headers.ts';
import { getObject } from './get-object.ts';
import { listObjects } from './list-objects.ts';
import { abortOldUploads, putObject } from './put-object.ts';
import { createS3Client, type S3ClientOptions } from './s3-client.ts';
import { openS3Notes } from './s3-notes.ts';

export interface S3BlobsOptions extends S3ClientOptions {
  /** Larger blobs are put and read in parts of this size. */
  partBytes?: number;
  now?: () => number;
  /** Parts that a test replaces. */
  checksumHeaders?: typeof checksumHeaders;
  checkBytes?: typeof checkBytes;
}

const PART_BYTES = 16 * 1024 * 1024;
/** One that was put since is far from being collected: it is not written again. A quarter of the shortest grace. */
const YOUNG_MS = 15 * 60_000;
/** Where the collector holds what it has removed. */
const DISCARDED = 'discarded/';
/** While one is on its way another can be computed, and the line is longer than that of a disk. */
const PUTS_AT_ONCE = 8;

/**
 * Blobs as objects: the key is the digest.
 *
 * A store has no rename, so a blob that nobody refers to is copied aside, removed, and removed there too when it has lain as
 * long again and still nobody refers to it. Whoever puts it at the very moment of its removal finds it there: `get` looks at
 * both places, and the next collection puts it back.
 */
export function openS3Blobs(options: S3BlobsOptions): LibraryBlobs {
  const { place, partBytes = PART_BYTES, now = Date.now } = options;
  const { checksumHeaders: toHeaders = checksumHeaders, checkBytes: check = checkBytes } = options;
  const { prefix } = place;
  const send = createS3Client(options);
  /** What was read and is not what it should be: putting it again replaces it. */
  const damaged = new Set<string>();

  async function readHead(key: string): Promise<{ bytes: number; modifiedAtMs: number } | undefined> {
    const { status, headers } = await send({ method: 'HEAD', key, expect: [404] });
    if (status === 404) return undefined;
    return {
      bytes: Number(headers.get('content-length')),
      modifiedAtMs: Date.parse(headers.get('last-modified') ?? ''),
    };
  }

  const remove = async (key: string, isOnce = false): Promise<void> =>
    void (await send({ method: 'DELETE', key, expect: [404], isOnce }));

  const copy = async (from: string, to: string): Promise<boolean> => {
    const source = `/${bucketOf(place.place)}/${prefix}${from}`;
    const headers = { 'x-amz-copy-source': source, 'x-amz-metadata-directive': 'REPLACE' };
    return (await send({ method: 'PUT', key: to, headers, expect: [404] })).status !== 404;
  };

  async function* list(): AsyncIterable<BlobEntry> {
    for await (const { name, bytes, modifiedAtMs } of listObjects({ send, prefix })) {
      if (isDigest(name)) yield { digest: name, bytes, modifiedAtMs };
    }
  }

  return {
    place: place.place,
    putsAtOnce: PUTS_AT_ONCE,
    notes: openS3Notes({ send, prefix }),
    list,
    async put(digest, bytes) {
      assertDigest(digest);
      const given = { send, key: digest, bytes, digest, partBytes, checksumHeaders: toHeaders };
      const { status } = await putObject({ ...given, isNew: !damaged.has(digest) });
      if (status === 412) {
        const found = await readHead(digest);
        const isFine = found?.bytes === bytes.byteLength && found.modifiedAtMs > now() - YOUNG_MS;
        if (!isFine) await putObject({ ...given, isNew: false });
      }
      damaged.delete(digest);
    },
    async get(digest, written) {
      assertDigest(digest);
      const bytes =
        (await getObject({ send, key: digest, partBytes })) ??
        (await getObject({ send, key: `${DISCARDED}${digest}`, partBytes }));
      if (bytes === undefined) throw new BlobMissingError({ digest });
      try {
        check(bytes, digest, written);
      } catch (error) {
        damaged.add(digest);
        throw error;
      }
      return bytes;
    },
    async has(digest) {
      assertDigest(digest);
      return (await readHead(digest)) !== undefined || (await readHead(`${DISCARDED}${digest}`)) !== undefined;
    },
    async remove(digest) {
      assertDigest(digest);
      await remove(digest);
      await remove(`${DISCARDED}${digest}`);
    },
    async removeIfOlder(digest, modifiedBeforeMs) {
      assertDigest(digest);
      const found = await readHead(digest);
      if (found === undefined || found.modifiedAtMs >= modifiedBeforeMs) return false;
      if (!(await copy(digest, `${DISCARDED}${digest}`))) return false;
      await remove(digest, true);
      return true;
    },
    async removeLeftovers(modifiedBeforeMs, isReferenced) {
      let removed = await abortOldUploads({ send, prefix, modifiedBeforeMs });
      for await (const { name, modifiedAtMs } of listObjects({ send, prefix, under: DISCARDED })) {
        if (!isDigest(name)) continue;
        if (await isReferenced(name)) {
          if ((await readHead(name)) === undefined) await copy(`${DISCARDED}${name}`, name);
        } else if (modifiedAtMs >= modifiedBeforeMs) continue;
        await remove(`${DISCARDED}${name}`);
        removed += 1;
      }
      return removed;
    },
    // There are no folders.
    prepare: async () => undefined,
    // A bucket has no end; one that has a quota says so when it is met.
    readFree: async () => ({ freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER }),
  };
}

const bucketOf = (place: string): string => place.split('/')[2]!;
