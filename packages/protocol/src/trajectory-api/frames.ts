import { PackedGroupError } from '../codec/packed-group-error.ts';

/** Media type of several packed groups in one body, each behind its length as a little-endian u32. */
export const GROUP_FRAMES_CONTENT_TYPE = 'application/vnd.lachesis.groups';

const PREFIX_BYTES = 4;

/** The four bytes that go before a frame, for writers that stream frames one by one. */
export function encodeFramePrefix(byteLength: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(byteLength) || byteLength < 0 || byteLength > 0xffff_ffff) {
    throw new PackedGroupError({ section: 'frames', reason: 'cannot hold a frame of more than 4 GiB' });
  }
  const prefix = new Uint8Array(PREFIX_BYTES);
  new DataView(prefix.buffer).setUint32(0, byteLength, true);
  return prefix;
}

/** Splits a body into its frames, as views. Throws `PackedGroupError` when a length and the bytes disagree. */
export function decodeFrames(body: Uint8Array): Uint8Array[] {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const frames: Uint8Array[] = [];
  let offset = 0;
  while (offset < body.length) {
    const start = offset + PREFIX_BYTES;
    if (start > body.length) throw new PackedGroupError({ section: 'frames', reason: 'end inside a length' });
    const end = start + view.getUint32(offset, true);
    if (end > body.length) throw new PackedGroupError({ section: 'frames', reason: 'end inside a frame' });
    frames.push(body.subarray(start, end));
    offset = end;
  }
  return frames;
}
