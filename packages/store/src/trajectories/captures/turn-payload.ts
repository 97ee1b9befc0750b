import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { isRecord, type TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../../blobs/blob-store.ts';

/** A text above this is a blob of its own; a payload above it leaves the row. */
const MAX_INLINE_BYTES = 16_384;
/** Below it a frame's header costs more than compression saves. */
const MIN_COMPRESSED_BYTES = 1_024;
/** The first byte of a zstd frame; JSON begins with a brace. */
const ZSTD_FIRST_BYTE = 0x28;
/** Fast: captures are written while an agent waits, and this level already finds what repeats. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** What is kept of a turn apart from its place. */
export type TurnContent = Omit<TrajectoryTurn, 'turn_id' | 'turn_index' | 'parent_index' | 'kept_messages'>;

export interface StoredBlob {
  digest: string;
  bytes: Uint8Array;
}

export interface EncodedTurn {
  /** Null when it is a blob. */
  payload: Uint8Array | null;
  payloadBlob: StoredBlob | null;
  /** Long texts of the payload, each once. */
  contents: StoredBlob[];
}

interface Envelope {
  turn: TurnContent;
  metadata: unknown;
  /** Where a long text stands, and the blob that has it. */
  contents?: [path: (string | number)[], digest: string][];
}

export function encodeTurn(turn: TurnContent, metadata: unknown): EncodedTurn {
  let text = JSON.stringify({ turn, metadata } satisfies Envelope);
  const contents = new Map<string, StoredBlob>();
  if (text.length > MAX_INLINE_BYTES) {
    const places: [(string | number)[], string][] = [];
    const shortened = takeLongTexts(turn, ['turn'], (path, value) => {
      const blob = createBlob(zstdCompressSync(value, LEVEL));
      contents.set(blob.digest, blob);
      places.push([path, blob.digest]);
    });
    text = JSON.stringify({ turn: shortened as TurnContent, metadata, contents: places } satisfies Envelope);
  }
  const bytes = Buffer.from(text);
  const packed = bytes.byteLength < MIN_COMPRESSED_BYTES ? bytes : zstdCompressSync(bytes, LEVEL);
  const isInline = packed.byteLength <= MAX_INLINE_BYTES;
  return {
    payload: isInline ? packed : null,
    payloadBlob: isInline ? null : createBlob(packed),
    contents: [...contents.values()],
  };
}

/** Synchronous where nothing is in a blob, which is nearly always: an export reads a million of these. */
export function decodeTurn(payload: string | Uint8Array, blobs: BlobStore): TurnContent | Promise<TurnContent> {
  const envelope = JSON.parse(typeof payload === 'string' ? payload : unpackText(payload)) as Envelope;
  if (isRecord(envelope.metadata)) envelope.turn.metadata = envelope.metadata;
  if (envelope.contents === undefined || envelope.contents.length === 0) return envelope.turn;
  return fillContents(envelope, envelope.contents, blobs);
}

async function fillContents(
  envelope: Envelope,
  contents: NonNullable<Envelope['contents']>,
  blobs: BlobStore,
): Promise<TurnContent> {
  const texts = new Map<string, string>();
  for (const [path, digest] of contents) {
    const text = texts.get(digest) ?? unpackText(await blobs.get(digest));
    texts.set(digest, text);
    let holder = envelope as unknown as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
    holder[path.at(-1)!] = text;
  }
  return envelope.turn;
}

/** The text of packed bytes. */
export function unpackText(bytes: Uint8Array): string {
  const plain =
    bytes[0] === ZSTD_FIRST_BYTE
      ? zstdDecompressSync(bytes)
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return plain.toString('utf8');
}

export function createBlob(bytes: Uint8Array): StoredBlob {
  return { digest: hash('sha256', bytes, 'hex'), bytes };
}

/** A copy with every long text replaced by null and told to `take`. */
function takeLongTexts(
  value: unknown,
  path: (string | number)[],
  take: (path: (string | number)[], text: string) => void,
): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_INLINE_BYTES) return value;
    take(path, value);
    return null;
  }
  if (Array.isArray(value)) {
    // Token ids and logprobs: long, and never texts.
    if (typeof value[0] === 'number') return value;
    return value.map((item, index) => takeLongTexts(item, [...path, index], take));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, takeLongTexts(item, [...path, name], take)]),
  );
}
