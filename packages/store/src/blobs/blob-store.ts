export interface BlobEntry {
  digest: string;
  bytes: number;
  modifiedAtMs: number;
}

/** Payloads by the sha256 of their bytes. Implemented over files here; an object store implements the same. */
export interface BlobStore {
  /** Resolves when the bytes are durable. Putting the same digest twice is fine and makes the blob young again. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, checked against the digest. Throws BlobMissingError or BlobCorruptError. */
  get(digest: string): Promise<Uint8Array>;
  /** Fine when there is none. */
  remove(digest: string): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
}

/** What the collector of orphans needs besides. */
export interface CollectableBlobs extends BlobStore {
  /** Removes the blob unless it was put again since `modifiedBeforeMs`; false when it stayed. */
  removeIfOlder(digest: string, modifiedBeforeMs: number): Promise<boolean>;
  /** Clears what interrupted writes left behind before that time; returns how many pieces. */
  removeLeftovers(modifiedBeforeMs: number): Promise<number>;
}
