import fc from 'fast-check';
import { expect, test } from 'vitest';

import { PackedGroupError } from '../codec/packed-group-error.ts';
import { decodeFrames, encodeFramePrefix } from './frames.ts';

const encodeFrames = (frames: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(frames.flatMap((frame) => [...encodeFramePrefix(frame.length), ...frame]));

test('frames stand behind their length as a little-endian u32', () => {
  expect(encodeFrames([Uint8Array.of(7, 8), Uint8Array.of()])).toEqual(Uint8Array.of(2, 0, 0, 0, 7, 8, 0, 0, 0, 0));
  expect(encodeFramePrefix(0x01020304)).toEqual(Uint8Array.of(4, 3, 2, 1));
  expect(decodeFrames(new Uint8Array())).toEqual([]);
});

test('every list of frames comes back', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), (frames) => {
      expect(decodeFrames(encodeFrames(frames)).map((frame) => [...frame])).toEqual(frames.map((frame) => [...frame]));
    }),
  );
});

test('a frame is a view and a body inside a larger buffer is read from its own start', () => {
  const buffer = Uint8Array.of(9, 9, 1, 0, 0, 0, 5, 9);
  const frames = decodeFrames(buffer.subarray(2, 7));
  expect(frames).toEqual([Uint8Array.of(5)]);
  expect(frames[0]!.buffer).toBe(buffer.buffer);
});

test('a length that lies is refused', () => {
  for (const body of [[1], [1, 0, 0], [2, 0, 0, 0, 1], [255, 255, 255, 255, 1]]) {
    expect(() => decodeFrames(Uint8Array.from(body))).toThrow(PackedGroupError);
  }
  expect(() => encodeFramePrefix(2 ** 32)).toThrow(PackedGroupError);
});

test('random bodies are split or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (body) => {
      try {
        expect(decodeFrames(body).reduce((total, frame) => total + frame.length + 4, 0)).toBe(body.length);
      } catch (error) {
        if (!PackedGroupError.isInstance(error)) throw error;
      }
    }),
  );
});
