export interface BlobEntry {
  digest: string;
  bytes: number;
  modifiedAtMs: number;
}

/** Payloads by the sha256 of their bytes. */
export interface BlobStore {
  /** Resolves when the bytes are durable. Putting the same digest twice is fine and makes the blob young again. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /**
   * The bytes, checked against the checksum that whoever wrote them took, or against the digest where there is none or it does
   * not fit. Throws BlobMissingError or BlobCorruptError.
   */
  get(digest: string, written?: { crc32: number }): Promise<Uint8Array>;
  /** Fine when there is none. */
  remove(digest: string): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
}

/** What the collector of orphans needs besides. */
export interface CollectableBlobs extends BlobStore {
  /** Removes the blob unless it was put again since `modifiedBeforeMs`; false when it stayed. */
  removeIfOlder(digest: string, modifiedBeforeMs: number): Promise<boolean>;
  /**
   * Clears what interrupted writes left behind before that time, and what was removed and is held for a while where the place
   * needs that; what somebody refers to is put back. Returns how many pieces.
   */
  removeLeftovers(modifiedBeforeMs: number, isReferenced: (digest: string) => Promise<boolean>): Promise<number>;
}

/** Small texts beside the payloads, by which a place says whose it is. Their names begin with a dot; `list` never meets them. */
export interface BlobNotes {
  /** Undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** Resolves when it is durable. One that is there already stays as it is. */
  writeOnce(name: string, text: string): Promise<void>;
  list(): Promise<{ name: string; modifiedAtMs: number }[]>;
  /** Fine when there is none. */
  remove(name: string): Promise<void>;
}

/** Everything that a home asks of the place of its payloads. Another kind is one more folder that implements it, and a line in `openBlobs`. */
export interface LibraryBlobs extends CollectableBlobs {
  /** The folder or the address; what `openBlobs` takes in another thread, and what people are told. */
  readonly place: string;
  readonly notes: BlobNotes;
  /** How many puts of one thread are worth having under way. */
  readonly putsAtOnce: number;
  has(digest: string): Promise<boolean>;
  /** Before many puts: whoever opens it with `isPrepared` afterwards need not look each time. */
  prepare(): Promise<void>;
  /** How much more can be put. */
  readFree(): Promise<{ freeBytes: number; totalBytes: number }>;
}
