import { openFileBlobs, type FileBlobs, type FileBlobsOptions } from '../blobs/file-blobs.ts';
import { readMarker } from './library-marker.ts';

/** Opens the payloads of a home that `openHome` has opened, in a thread that has no database of its own. */
export function openLibraryBlobs(options: FileBlobsOptions & { libraryId: string }): FileBlobs {
  const { libraryId, ...rest } = options;
  if (readMarker(options.directory)?.libraryId !== libraryId) {
    throw new Error(`The payloads in ${options.directory} were replaced since the server opened them. Start it again.`);
  }
  return openFileBlobs(rest);
}
