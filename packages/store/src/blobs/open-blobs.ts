import type { LibraryBlobs } from './blob-store.ts';
import { cacheBlobs } from './cache-blobs.ts';
import { openFileBlobs } from './file-blobs.ts';
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

/** The one place that knows which kinds of blobs there are. What talks to an object store is loaded where there is one. */
export async function openBlobs(options: OpenBlobsOptions): Promise<LibraryBlobs> {
  const { place, isPrepared = false, cache, env = process.env } = options;
  if (!isS3Place(place)) return openFileBlobs({ directory: place, isPrepared });
  const s3Place = readS3Place(place, env);
  const { openS3Blobs } = await import('./s3/s3-blobs.ts');
  const blobs = openS3Blobs({ place: s3Place });
  return cache === undefined ? blobs : cacheBlobs({ blobs, directory: cache });
}
