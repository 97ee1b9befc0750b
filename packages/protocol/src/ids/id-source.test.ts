import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createIdSource } from './id-source.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const isAscending = (ids: readonly string[]) => ids.every((id, index) => index === 0 || id > ids[index - 1]!);

test('ids are lower-case UUIDv7 and carry the time', () => {
  const ids = createIdSource({ now: () => 0x0123_4567_89ab });
  const id = ids.next();
  expect(id).toMatch(UUID_V7);
  expect(id.startsWith('01234567-89ab-7')).toBe(true);
});

test('clock and randomness decide the id', () => {
  const options = { now: () => 1_700_000_000_000, random: (bytes: Uint8Array) => void bytes.fill(0xff) };
  expect(createIdSource(options).next()).toBe('018bcfe5-6800-77ff-bfff-ffffffffffff');
});

test('ids of one source ascend through 20,000 in one millisecond', () => {
  const ids = createIdSource({ now: () => 1_700_000_000_000 });
  const made = Array.from({ length: 20_000 }, () => ids.next());
  expect(isAscending(made)).toBe(true);
  expect(made.every((id) => UUID_V7.test(id))).toBe(true);
});

test('ids ascend whatever the clock does', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 48 - 2 }), { minLength: 1, maxLength: 200 }), (clock) => {
      let tick = 0;
      const ids = createIdSource({ now: () => clock[tick++]! });
      return isAscending(clock.map(() => ids.next()));
    }),
  );
});

test('ids of the real clock ascend and differ between sources', () => {
  const [left, right] = [createIdSource(), createIdSource()];
  const made = Array.from({ length: 5000 }, () => left.next());
  expect(isAscending(made)).toBe(true);
  expect(new Set([...made, ...Array.from({ length: 5000 }, () => right.next())]).size).toBe(10_000);
});
