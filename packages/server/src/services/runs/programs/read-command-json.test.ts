import { expect, test } from 'vitest';
import { readCommandJson } from './read-command-json.ts';

const say = (script: string): Promise<unknown> =>
  readCommandJson({ file: process.execPath, arguments: ['-e', script] }, ['env', 'list'], {
    PATH: process.env['PATH'],
  });

test('what a command prints is read', async () => {
  expect(await say('console.log("[1]")')).toEqual([1]);
});

test.each([
  ['an error', 'throw new TypeError("the file is broken")', 'failed: TypeError: the file is broken'],
  ['a refusal', 'console.error("lachesis: no such folder"); process.exit(1)', 'failed: lachesis: no such folder'],
  ['no JSON', 'console.log("hello")', 'gave no JSON'],
])('a command that ends with %s is named, with what it said', async (_what, script, says) => {
  await expect(say(script)).rejects.toMatchObject({
    code: 'unavailable',
    message: `\`lachesis env list\` ${says}`,
    hint: expect.stringContaining('Run it'),
  });
});
