import type { LibraryBlobs } from '../blobs/blob-store.ts';
import { openBlobs, type OpenBlobsOptions } from '../blobs/open-blobs.ts';
import { readMarker } from './library-marker.ts';

/** Opens the payloads of a home that `openHome` has opened, in a thread that has no database of its own. */
export async function openLibraryBlobs(options: OpenBlobsOptions & { libraryId: string }): Promise<LibraryBlobs> {
  const { libraryId, ...rest } = options;
  const blobs = await openBlobs(rest);
  if ((await readMarker(blobs))?.libraryId !== libraryId) {
    throw new Error(`The payloads in ${blobs.place} were replaced since the server opened them. Start it again.`);
  }
  return blobs;
}
