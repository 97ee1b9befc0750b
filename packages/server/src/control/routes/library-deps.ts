import type { IdSource, Redactor } from '@lachesis/protocol';
import type { CollectableBlobs, Store } from '@lachesis/store';

/** What the routes of the library work with. */
export interface LibraryDeps {
  store: Store;
  blobs: CollectableBlobs;
  ids: IdSource;
  /** What is taken out of records; the recorder may have done so already, by its own rules. */
  redactor: Redactor;
  /** Signs what callers bring back later: the same for all servers of a home, and after a restart. */
  secret: Uint8Array;
  /** Brings in what recorders left in outboxes of the home, for what must not miss the last call. */
  drain?: (() => Promise<unknown>) | undefined;
}
