import { encodeFramePrefix, PackedGroupError } from '@lachesis/protocol/codec';
import { BlobCorruptError, BlobMissingError } from '@lachesis/store/blobs';
import { assembleBatch } from '../reply/assemble-batch.ts';
import type { AssembledReply } from '../reply/assemble-batch.ts';
import { GroupNotFiniteError } from '../reply/render-group.ts';
import type { JobBlobs } from './job-blobs.ts';

/** Payloads that are gone, whose bytes do not match their digest, or that no reply can be made of. */
export interface BrokenPayloads {
  kind: 'broken';
  digests: string[];
}

export interface FramesRequest {
  digests: readonly string[];
  /** Of each payload as it was written, where that is still known; the others are checked against their digests. */
  crc32s?: readonly (number | undefined)[];
}

export interface AssembleRequest extends FramesRequest {
  acceptsGzip: boolean;
  shape: 'batch' | 'group';
}

/** Reads payloads, checked, and makes the reply of them. */
export async function runAssembleJob(
  request: AssembleRequest,
  blobs: JobBlobs,
): Promise<AssembledReply | BrokenPayloads> {
  const payloads = await readPayloads(request, blobs);
  if ('kind' in payloads) return payloads;
  const { acceptsGzip, shape } = request;
  try {
    return joinChunks(assembleBatch({ payloads, acceptsGzip, shape }));
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    const digests = request.digests.filter((_, index) => !isWritable(payloads[index]!));
    return { kind: 'broken', digests };
  }
}

/** Names the payload at fault, so that one bad group does not hold up its batch for ever. */
function isWritable(payload: Uint8Array): boolean {
  try {
    assembleBatch({ payloads: [payload], acceptsGzip: false, shape: 'group' });
    return true;
  } catch (error) {
    if (isUnwritable(error)) return false;
    throw error;
  }
}

const isUnwritable = (error: unknown): boolean =>
  PackedGroupError.isInstance(error) || GroupNotFiniteError.isInstance(error);

/** Reads payloads, checked, as length-prefixed frames for the native API. */
export async function runReadFramesJob(
  request: FramesRequest,
  blobs: JobBlobs,
): Promise<AssembledReply | BrokenPayloads> {
  const payloads = await readPayloads(request, blobs);
  if ('kind' in payloads) return payloads;
  const chunks = payloads.flatMap((payload) => [encodeFramePrefix(payload.length), payload as Uint8Array<ArrayBuffer>]);
  const contentLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return joinChunks({ chunks, contentEncoding: null, contentLength });
}

async function readPayloads(request: FramesRequest, blobs: JobBlobs): Promise<Uint8Array[] | BrokenPayloads> {
  const { digests, crc32s = [] } = request;
  const broken = new Set<string>();
  const read = async (digest: string, index: number): Promise<Uint8Array[]> => {
    const crc32 = crc32s[index];
    try {
      return [await blobs.get(digest, crc32 === undefined ? undefined : { crc32 })];
    } catch (error) {
      if (!BlobMissingError.isInstance(error) && !BlobCorruptError.isInstance(error)) throw error;
      broken.add(digest);
      return [];
    }
  };
  const payloads = (await Promise.all(digests.map((digest, index) => read(digest, index)))).flat();
  return broken.size > 0 ? { kind: 'broken', digests: [...broken] } : payloads;
}

/** Replies up to this size cross as one buffer; larger ones as several, so that no single allocation is huge. */
const MAX_JOINED_BYTES = 32 * 1024 * 1024;

/** Copies chunks out of the payloads they are views on, so that only what is sent crosses to the other thread. */
function joinChunks({ chunks, contentEncoding, contentLength }: AssembledReply): AssembledReply {
  const joined: Uint8Array<ArrayBuffer>[] = [];
  let first = 0;
  let bytes = 0;
  const flush = (end: number): void => {
    const buffer = new Uint8Array(bytes);
    let written = 0;
    for (const chunk of chunks.slice(first, end)) {
      buffer.set(chunk, written);
      written += chunk.length;
    }
    joined.push(buffer);
    first = end;
    bytes = 0;
  };
  chunks.forEach((chunk, index) => {
    if (bytes > 0 && bytes + chunk.length > MAX_JOINED_BYTES) flush(index);
    bytes += chunk.length;
  });
  if (bytes > 0) flush(chunks.length);
  return { chunks: joined, contentEncoding, contentLength };
}
