import { isBlobReferenced } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';

/**
 * Removes a blob that no row refers to. A recorder may refer to it between our question and the removal, having put it
 * before: so we ask again and put it back. One that commits later still finds it missing and puts it again by itself.
 */
export async function removeUnreferenced(options: { store: Store; blobs: BlobStore; digest: string }): Promise<void> {
  const { store, blobs, digest } = options;
  if (await isBlobReferenced({ store, digest })) return;
  let bytes: Uint8Array;
  try {
    bytes = await blobs.get(digest);
  } catch (error) {
    if (BlobMissingError.isInstance(error)) return;
    throw error;
  }
  await blobs.remove(digest);
  if (await isBlobReferenced({ store, digest })) await blobs.put(digest, bytes);
}
