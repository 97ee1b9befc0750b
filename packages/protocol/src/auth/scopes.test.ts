import { expect, test } from 'vitest';

import { hasScope, isScope, SCOPE_DESCRIPTIONS, SCOPES } from './scopes.ts';

test('the whole matrix of granted and needed scopes holds', () => {
  const allowed = SCOPES.flatMap((granted) =>
    SCOPES.filter((needed) => hasScope([granted], needed)).map((needed) => `${granted} > ${needed}`),
  );
  expect(allowed.toSorted()).toEqual(
    [
      ...SCOPES.map((scope) => `${scope} > ${scope}`),
      'run:admin > view',
      ...['run:admin', 'view', 'env:push', 'trainer:pull'].map((scope) => `${scope} > run:status`),
      ...SCOPES.filter((scope) => scope !== 'admin').map((scope) => `admin > ${scope}`),
    ].toSorted(),
  );
});

test('scopes add up and nothing is granted by nothing', () => {
  expect(hasScope([], 'view')).toBe(false);
  expect(hasScope(['env:push', 'view'], 'view')).toBe(true);
  expect(hasScope(['env:push', 'view'], 'trainer:pull')).toBe(false);
});

test('every scope has a sentence and the list is frozen', () => {
  expect(Object.keys(SCOPE_DESCRIPTIONS)).toEqual([...SCOPES]);
  expect(Object.isFrozen(SCOPES)).toBe(true);
  expect([isScope('view'), isScope('root'), isScope(1)]).toEqual([true, false, false]);
});
