import { createLocalProvider } from '@lachesis/sdk/sandbox';
import { afterAll, expect, test } from 'vitest';
import { writeFiles } from './write-files.ts';
import { takeSnapshot } from './take-snapshot.ts';

// What runs here was written here: it needs files and no wall.
const provider = createLocalProvider();
afterAll(() => provider.close());
const create = () => provider.create({ owner: 'work-folder-test' });

test('what was laid is what is seen, whatever is in names and texts', async () => {
  const sandbox = await create();
  const odd = `it's "odd" $HOME \`x\` \\n %s\nsecond — ü\n`;
  await writeFiles(sandbox, {
    'a b/c.txt': odd,
    'run.sh': { text: 'exit 0', mode: 0o750 },
    'to/here': { link: '../run.sh' },
    'empty/': '',
    '-rf': '',
  });
  expect(Object.fromEntries((await takeSnapshot(sandbox, ['.'])) ?? [])).toMatchObject({
    'a b/c.txt': { kind: 'file', mode: 0o644, text: odd },
    'run.sh': { kind: 'file', mode: 0o750, text: 'exit 0' },
    'to/here': { kind: 'link', target: '../run.sh' },
    empty: { kind: 'folder' },
    '-rf': { kind: 'file', text: '' },
  });
  // A file takes the place of a link, and does not go through it.
  await writeFiles(sandbox, { 'to/here': 'new' });
  const after = await takeSnapshot(sandbox, ['to/here', 'run.sh', 'gone']);
  expect(after?.get('to/here')).toMatchObject({ kind: 'file', text: 'new' });
  expect(after?.get('run.sh')).toMatchObject({ text: 'exit 0' });
  expect(after?.has('gone')).toBe(false);
});

test('a pipe is not opened, and too much is no answer', async () => {
  const sandbox = await create();
  await sandbox.exec('mkfifo pipe && truncate -s 50M big && ln -s /dev/zero zero');
  expect((await takeSnapshot(sandbox, ['pipe', 'zero']))?.get('pipe')).toMatchObject({ kind: 'other' });
  expect(await takeSnapshot(sandbox, ['big'])).toBeUndefined();
});

test('a program that is missing is named', async () => {
  await expect(writeFiles(await create(), {}, { needs: ['sh', 'no-such-program'] })).rejects.toThrow(
    'no no-such-program',
  );
});
