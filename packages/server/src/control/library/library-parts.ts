import type { CaptureRecord, IdSource } from '@lachesis/protocol';
import type { CollectableBlobs, Store } from '@lachesis/store';

/** What the routes of the library work with. */
export interface LibraryParts {
  store: Store;
  blobs: CollectableBlobs;
  ids: IdSource;
  /** Takes secrets out of a record; the recorder may have done so already. */
  redact: (record: CaptureRecord) => CaptureRecord;
}
