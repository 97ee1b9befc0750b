import type { BlobStore, Store } from '@lachesis/store';
import type { LocalStore } from './open-local-store.ts';

/** The library of this machine, opened by a command that works on it itself. */
export interface LocalLibrary {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  audit: LocalStore['audit'];
}
