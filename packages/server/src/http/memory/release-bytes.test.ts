import { expect, test } from 'vitest';
import { releaseBytes } from './release-bytes.ts';

test('empties a large buffer', () => {
  const bytes = new Uint8Array(200_000);
  releaseBytes(bytes);
  expect([bytes.length, bytes.buffer.detached]).toEqual([0, true]);
});

test('leaves small buffers alone, which may share their memory', () => {
  const bytes = Buffer.from('small');
  releaseBytes(bytes);
  expect(bytes.toString()).toBe('small');
});

test('may be called twice', () => {
  const bytes = new Uint8Array(200_000);
  releaseBytes(bytes);
  expect(() => releaseBytes(bytes)).not.toThrow();
});
