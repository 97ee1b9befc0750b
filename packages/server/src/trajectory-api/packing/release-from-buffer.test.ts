import { expect, it } from 'vitest';
import { releaseFromBuffer } from './release-from-buffer.ts';

const group = (sequenceCount: number) => ({ sequenceCount, envId: 0 });

it('releases one set in buffer order and keeps the rest', () => {
  const buffer = [group(3), group(3), group(2), group(2)];
  expect(releaseFromBuffer(buffer, 4)).toEqual({ released: [buffer[2], buffer[3]], rest: [buffer[0], buffer[1]] });
});

it('releases at most one set at a time', () => {
  const buffer = [group(2), group(2), group(2), group(2)];
  expect(releaseFromBuffer(buffer, 4)).toEqual({ released: buffer.slice(0, 2), rest: buffer.slice(2) });
});

it('releases nothing while no set is complete', () => {
  expect(releaseFromBuffer([group(8), group(1)], 4)).toBeNull();
});
