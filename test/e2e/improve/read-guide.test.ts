import { expect, test } from 'vitest';
import { readGuide } from './read-guide.ts';

test('writes files, types commands, and leaves the rest to be read', () => {
  const page = ['```js file=a.mjs', '1;', '```', 'text', '```sh', 'one', 'two &', '```', '```', 'three', '```'].join(
    '\n',
  );
  expect(readGuide(page)).toEqual({ files: new Map([['a.mjs', '1;\n']]), commands: ['one', 'two &'] });
});
