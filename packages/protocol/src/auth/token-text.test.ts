import { expect, test } from 'vitest';
import { hideTokens } from './token-text.ts';

test.each([
  ['/key/abc/v1/chat/completions', '/key/…/v1/chat/completions'],
  ['http://localhost:8001/key/lch_1-2_xyz/v1?a=1', 'http://localhost:8001/key/…/v1?a=1'],
  ['/KEY/abc', '/KEY/…'],
  ['//x/lch_0192-aa_b-c_d/v1', '//x/…/v1'],
  ['said Bearer lch_0192-aa_b-c_d.', 'said Bearer ….'],
  ['/v1/models', '/v1/models'],
  ['/keys/list', '/keys/list'],
])('%s is shown as %s', (text, shown) => {
  expect(hideTokens(text)).toBe(shown);
});
