import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { FAULTS } from './faults.ts';

test.each(Object.entries(FAULTS))('there is one place for the fault %s', async (_, { file, from }) => {
  const text = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
  expect(text.split(from)).toHaveLength(2);
});
