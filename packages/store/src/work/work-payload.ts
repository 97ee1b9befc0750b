import { constants, zstdCompressSync } from 'node:zlib';
import { addBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { createBlob, unpackText } from '../trajectories/captures/turn-payload.ts';

/** Above it a value is a blob of its own. */
const MAX_INLINE_BYTES = 65_536;
/** Below it a frame's header costs more than compression saves. */
const MIN_COMPRESSED_BYTES = 1_024;
/** Fast: a worker waits for it. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface PackedValue {
  /** Null where it is a blob. */
  bytes: Uint8Array | null;
  digest: string | null;
  /** Goes into the unit that writes the row. */
  statements: WriteStatement[];
}

/** A value as a row keeps it. Its blob, if it needs one, is durable when this resolves. */
export async function packValue(
  { store, blobs, tenantId }: { store: Store; blobs: BlobStore; tenantId: string },
  value: unknown,
): Promise<PackedValue> {
  const text = Buffer.from(JSON.stringify(value));
  const packed = text.byteLength < MIN_COMPRESSED_BYTES ? text : zstdCompressSync(text, LEVEL);
  if (packed.byteLength <= MAX_INLINE_BYTES) return { bytes: packed, digest: null, statements: [] };
  const { digest, bytes } = createBlob(packed);
  await blobs.put(digest, bytes);
  return {
    ...{ bytes: null, digest },
    statements: [addBlobReference({ store, tenantId, digest, bytes: bytes.byteLength })],
  };
}

export async function unpackValue(
  { bytes, digest }: { bytes: Uint8Array | null; digest: string | null },
  blobs: BlobStore,
): Promise<unknown> {
  const packed = bytes ?? (digest === null ? null : await blobs.get(digest));
  return packed === null ? null : (JSON.parse(unpackText(packed)) as unknown);
}
