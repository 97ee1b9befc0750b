import { expect, test } from 'vitest';

import { countFates } from './count-fates.ts';

const facts = (acknowledged: number[], dropped: number[] = []) => ({ registrations: [''], acknowledged, dropped });
const batch = (...groups: [envId: number | null, number: number | null][]) => ({
  groups: groups.map(([env_id, number]) => ({ keys: 14, number, env_id, sequences: 4, first_token: 0, floats: true })),
});

test('a group is lost when it was acknowledged and never delivered', () => {
  const fates = countFates({ facts: [facts([0, 1, 2])], batches: [batch([0, 0], [0, 2])] });
  expect(fates).toEqual({ acknowledged: 3, lost: 1, duplicated: 0, dropped: 0 });
});

test('the same number from another environment is another group', () => {
  const fates = countFates({ facts: [facts([0]), facts([0])], batches: [batch([1, 0], [1, 1])] });
  expect(fates).toEqual({ acknowledged: 2, lost: 1, duplicated: 0, dropped: 0 });
});

test('a group is duplicated when it was delivered twice, acknowledged or not', () => {
  const fates = countFates({ facts: [facts([0], [7])], batches: [batch([0, 0], [0, 1]), batch([0, 1], [0, 0])] });
  expect(fates).toEqual({ acknowledged: 1, lost: 0, duplicated: 2, dropped: 1 });
});

test('fillers carry no number and count for nothing', () => {
  const fates = countFates({ facts: [facts([0])], batches: [batch([0, 0], [null, null]), batch([null, null])] });
  expect(fates).toEqual({ acknowledged: 1, lost: 0, duplicated: 0, dropped: 0 });
});
