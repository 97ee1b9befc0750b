import { expect, test } from 'vitest';

import { chooseSlice } from './choose-slice.ts';

test('a slice has as many different things as were asked for, whatever the length', () => {
  for (const length of [2, 6, 7, 11, 14, 77]) {
    const list = Array.from({ length }, (_, index) => index);
    for (const count of [1, Math.ceil(length / 2), length]) expect(new Set(chooseSlice(list, count)).size).toBe(count);
  }
});
