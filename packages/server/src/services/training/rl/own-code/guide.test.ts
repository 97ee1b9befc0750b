import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadOwnCode } from './load-own-code.ts';

const root = join(import.meta.dirname, '../../../../../../..');

test('the files of the guide are those that the real engine is shown, and load', async () => {
  const page = await readFile(join(root, 'docs/guides/write-your-own-loss.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts file=(\S+)\n([\s\S]*?)```/g)];
  expect(blocks.map(([, name]) => name)).toEqual(['clipped-loss.ts', 'group-advantage.ts']);
  const fileOf = (name: string): string => join(root, 'test/conformance/algorithms/own', name);
  for (const [, name, text] of blocks) expect(text).toBe(await readFile(fileOf(name!), 'utf8'));
  const own = await loadOwnCode({ loss: fileOf('clipped-loss.ts'), advantage: fileOf('group-advantage.ts') });
  expect([own.loss?.name, own.advantage?.name]).toEqual(['clipped', 'grouped']);
});
