import { expect, test } from 'vitest';

import { judgeReward } from './judge-reward.ts';
import careless from './careless-look.ts';
import look from './look.ts';

test('the reward of the toy gives each what is due', async () => {
  expect(await judgeReward(look)).toMatchObject({ wrong: [] });
});

test('a reward that ignores the call is seen by those that answer without one', async () => {
  const { wrong } = await judgeReward(careless);
  expect(wrong).toContain('answers without a look');
  expect(wrong).toContain('looks elsewhere and answers');
});
