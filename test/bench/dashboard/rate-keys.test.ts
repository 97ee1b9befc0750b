import { expect, test } from 'vitest';
import { listRateKeys } from '../../../apps/dashboard/src/rating/rate-keys.ts';
import { readRateAction } from '../../../packages/cli/src/library/rate-action.ts';

test('a key rates in the page as it does in the terminal', () => {
  // There is no undo in the terminal, where a rating is kept before the next one is shown, and no re-roll, which shows two replies.
  const ownOfPage = new Set(['reroll', 'undo']);
  const shared = listRateKeys('one').filter(({ action }) => !ownOfPage.has(action.kind));
  expect(shared.map(({ keys, action }) => [keys, action])).toEqual(
    shared.map(({ keys }) => [keys, readRateAction(keys)]),
  );
  expect(shared).toHaveLength(12);
});
