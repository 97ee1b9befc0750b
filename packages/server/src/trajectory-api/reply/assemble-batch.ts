import { constants, crc32, inflateRawSync } from 'node:zlib';
import { decodeGroup, PackedGroupError, readWireBlock } from '@lachesis/protocol/codec';
import type { WireBlock } from '@lachesis/protocol/codec';
import { deflateWireBlock } from '../ingest/deflate/deflate-wire-block.ts';
import { renderGroup } from './render-group.ts';
import { stitchGzip } from './stitch-gzip.ts';
import type { GzipPiece } from './stitch-gzip.ts';

/** Atropos compresses replies from this size on; below, a trainer gets the same bytes from both. */
const MIN_GZIP_BYTES = 1000;

export interface AssembleOptions {
  /** Packed groups, as stored. */
  payloads: readonly Uint8Array[];
  acceptsGzip: boolean;
  /** `{"batch":[…]}`, or one group on its own. */
  shape?: 'batch' | 'group';
}

/** A reply body, ready to be written. */
export interface AssembledReply {
  chunks: Uint8Array<ArrayBuffer>[];
  contentEncoding: 'gzip' | null;
  contentLength: number;
}

const encoder = new TextEncoder();
const COMMA = encoder.encode(',');

/** Joins what was encoded when the groups came in. Nothing is parsed, and with gzip nothing is inflated either. */
export function assembleBatch({ payloads, acceptsGzip, shape = 'batch' }: AssembleOptions): AssembledReply {
  const groups = payloads.map((payload) => readWireBlock(payload) ?? renderGroup(decodeGroup(payload)));
  const pieces: GzipPiece[] = shape === 'batch' ? surround(groups) : groups;
  const identityBytes = pieces.reduce((sum, piece) => sum + measure(piece), 0);
  const isGzip = acceptsGzip && identityBytes >= MIN_GZIP_BYTES;
  const chunks = isGzip ? stitchGzip(pieces.map(compress)) : pieces.map(inflate);
  const contentLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { chunks, contentEncoding: isGzip ? 'gzip' : null, contentLength };
}

function surround(groups: readonly GzipPiece[]): GzipPiece[] {
  const separated = groups.flatMap((group, index) => (index === 0 ? [group] : [COMMA, group]));
  return [encoder.encode('{"batch":['), ...separated, encoder.encode(']}')];
}

const measure = (piece: GzipPiece): number => (piece instanceof Uint8Array ? piece.length : piece.inflatedBytes);

/** Texts of whole groups are worth compressing; separators are not. */
function compress(piece: GzipPiece): GzipPiece {
  return piece instanceof Uint8Array && piece.length > 64 ? deflateWireBlock(piece) : piece;
}

function inflate(piece: GzipPiece): Uint8Array<ArrayBuffer> {
  return piece instanceof Uint8Array ? (piece as Uint8Array<ArrayBuffer>) : inflateBlock(piece);
}

function inflateBlock(block: WireBlock): Uint8Array<ArrayBuffer> {
  let text: Uint8Array<ArrayBuffer>;
  try {
    text = inflateRawSync(block.deflated, {
      // The block has no end of its own: it was cut to stand between others.
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: Math.max(1, block.inflatedBytes),
      chunkSize: Math.max(64, block.inflatedBytes + 1),
    });
  } catch (cause) {
    throw new PackedGroupError({ section: 'wire', reason: 'cannot be inflated', cause });
  }
  if (text.length !== block.inflatedBytes || crc32(text) !== block.crc32) {
    throw new PackedGroupError({ section: 'wire', reason: 'does not hold the text it was stored with' });
  }
  return text;
}
