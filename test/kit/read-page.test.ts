import { expect, test } from 'vitest';

import { readPage } from './read-page.ts';
import { splitCommands } from './split-commands.ts';

test('files are written, commands typed, the rest is read', () => {
  const page = [
    ...['```js file=a.mjs', '1;', '```', 'text', '```sh', 'one', 'two &', '```', '```', 'three', '```'],
    ...['```sh terminal=server', 'serve', '```', '```js', '2;', '```'],
  ].join('\n');
  expect(readPage(page)).toEqual([
    { kind: 'file', name: 'a.mjs', text: '1;\n' },
    { kind: 'typed', terminal: undefined, text: 'one\ntwo &\n' },
    { kind: 'read', text: 'three\n' },
    { kind: 'typed', terminal: 'server', text: 'serve\n' },
    { kind: 'read', text: '2;\n' },
  ]);
});

test('a command is as many lines as a shell reads for it', () => {
  const text = [
    ...['# a remark', 'one', '', 'two \\', '  --more', "three '{", "}'"],
    ...['for x in 1 2; do', '  echo $x', 'done', 'four &'],
  ].join('\n');
  expect(splitCommands(text)).toEqual([
    'one',
    'two \\\n  --more',
    "three '{\n}'",
    'for x in 1 2; do\n  echo $x\ndone',
    'four &',
  ]);
});

test('what never becomes a command is typed as it stands', () => {
  expect(splitCommands('one\nif true; then\n')).toEqual(['one', 'if true; then']);
});
