import type { LibraryBlobs } from './blob-store.ts';
import { openFileBlobs } from './file-blobs.ts';

export interface OpenBlobsOptions {
  /** A folder. */
  place: string;
  /** `prepare` was called since the place was made. */
  isPrepared?: boolean | undefined;
}

/** The one place that knows which kinds of blobs there are. */
export function openBlobs({ place, isPrepared = false }: OpenBlobsOptions): LibraryBlobs {
  return openFileBlobs({ directory: place, isPrepared });
}
