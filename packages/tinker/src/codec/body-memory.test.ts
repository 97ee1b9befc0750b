import { expect, test } from 'vitest';
import { BodyMemory } from './body-memory.ts';

const MB = 1024 * 1024;

test('memory that was given back is used for what fits into it', () => {
  const memory = new BodyMemory();
  const first = memory.take(3 * MB - 5);
  memory.giveBack(first);
  const second = memory.take(3 * MB);
  expect(second.buffer).toBe(first.buffer);
  expect(second).toHaveLength(3 * MB);
  expect(memory.take(MB).buffer).not.toBe(first.buffer);
});

test('memory in use is not handed out twice', () => {
  const memory = new BodyMemory();
  const taken = Array.from({ length: 4 }, () => memory.take(MB));
  expect(new Set(taken.map(({ buffer }) => buffer)).size).toBe(4);
});

test('memory that is too small stays for others, and no more is kept than a batch needs', () => {
  const memory = new BodyMemory();
  const small = memory.take(MB);
  memory.giveBack(small);
  expect(memory.take(2 * MB).buffer).not.toBe(small.buffer);
  expect(memory.take(MB).buffer).toBe(small.buffer);
  const large = [memory.take(30 * MB), memory.take(30 * MB)];
  for (const bytes of large) memory.giveBack(bytes);
  const again = [memory.take(30 * MB), memory.take(30 * MB)];
  expect(again.map(({ buffer }) => large.some((bytes) => bytes.buffer === buffer))).toEqual([true, false]);
});
