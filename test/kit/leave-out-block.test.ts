import { expect, test } from 'vitest';
import { leaveOutBlock, listFollowedBlocks } from './leave-out-block.ts';

const PAGE =
  '# A\n\n```sh\none\n```\n\n```text\nread\n```\n\n```js file=a.mjs\ntwo\n```\n\n```sh needs=gpu\nthree\n```\n';

test('blocks that are typed and written are counted, those that are read or need something are not', () => {
  expect(listFollowedBlocks(PAGE)).toEqual([0, 2]);
});

test('one block is left out, and nothing else', () => {
  expect(leaveOutBlock(PAGE, 2)).toBe(PAGE.replace('```js file=a.mjs\ntwo\n```', ''));
  expect(leaveOutBlock(PAGE, 0)).not.toContain('one');
});
