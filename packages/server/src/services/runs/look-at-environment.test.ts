import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEnvironmentView } from './look-at-environment.ts';

async function openView(lines: unknown = []) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-view-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = { toy: 'export default 1;', long: 'é'.repeat(60_000), old: 'class Old(BaseEnv): pass' };
  const entries = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = join(folder, `${name}.${name === 'old' ? 'py' : 'ts'}`);
      await writeFile(path, text);
      return { name, class_name: name, file_path: path, description: '' };
    }),
  );
  return createEnvironmentView({ listEnvironments: async () => entries, runCheck: async () => lines });
}

test('the source of an environment is read, of a long one its beginning', async () => {
  const view = await openView();
  expect(await view.source('toy')).toMatchObject({ language: 'typescript', text: 'export default 1;', is_cut: false });
  const long = await view.source('long');
  expect([long.size, long.is_cut, long.text]).toEqual([120_000, true, 'é'.repeat(50_000)]);
  expect((await view.source('old')).language).toBe('python');
  await expect(view.source('../../etc/passwd')).rejects.toMatchObject({ code: 'not-found' });
});

test('a check tells what is wrong, and what it could not try', async () => {
  const view = await openView([
    { name: 'loads', verdict: 'ok', detail: 'toy' },
    {
      name: 'makes valid groups',
      verdict: 'wrong',
      detail: 'Access to this API has been restricted. Use --allow-fs-write',
    },
  ]);
  const checked = await view.check('t', 'toy');
  expect(checked).toMatchObject({ passed: true, lines: [{ verdict: 'ok' }, { verdict: 'open' }] });
  expect(checked.lines[1]?.detail).toContain('lachesis env check toy');
  const wrong = await openView([{ name: 'loads', verdict: 'wrong', detail: 'no such module' }]);
  expect((await wrong.check('t', 'toy')).passed).toBe(false);
  expect(await wrong.check('t', 'old')).toMatchObject({ passed: true, lines: [{ verdict: 'open' }] });
});
