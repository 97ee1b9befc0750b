import type { LibraryBlobs } from './blob-store.ts';
import { cacheBlobs } from './cache-blobs.ts';
import { openFileBlobs } from './file-blobs.ts';
import { openS3Blobs } from './s3/s3-blobs.ts';
import { isS3Place, readS3Place } from './s3/s3-place.ts';

export interface OpenBlobsOptions {
  /** A folder, or `s3://bucket/prefix`. */
  place: string;
  /** `prepare` was called since the place was made. */
  isPrepared?: boolean | undefined;
  /** A folder for what was fetched from afar; none is kept without it. */
  cache?: string | undefined;
  /** Where the keys of an object store are read. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The one place that knows which kinds of blobs there are. */
export function openBlobs({ place, isPrepared = false, cache, env = process.env }: OpenBlobsOptions): LibraryBlobs {
  if (!isS3Place(place)) return openFileBlobs({ directory: place, isPrepared });
  const blobs = openS3Blobs({ place: readS3Place(place, env) });
  return cache === undefined ? blobs : cacheBlobs({ blobs, directory: cache });
}
