import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { holdLock } from './hold-lock.ts';
import { openStaging } from './staging.ts';
import { makeTemporaryFolder } from './test-server.case.ts';

test('a lock is held by one, and free again after release', async () => {
  await using folder = await makeTemporaryFolder();
  const file = folder.at('lock');
  const release = await holdLock({ file });
  await expect(holdLock({ file })).rejects.toMatchObject({ reason: 'busy', retryable: true });
  await release();
  await (
    await holdLock({ file })
  )();
  expect(await readdir(folder.path)).toEqual([]);
});

test('a lock of a dead process, or one nobody renews, is taken over', async () => {
  await using folder = await makeTemporaryFolder();
  const file = folder.at('lock');
  await writeFile(file, '999999999');
  await (
    await holdLock({ file })
  )();
  await writeFile(file, String(process.pid));
  await utimes(file, 1000, 1000);
  const release = await holdLock({ file });
  expect(await readFile(file, 'utf8')).toBe(String(process.pid));
  await release();
});

test('staging keeps versions for the same source and forgets those of another', async () => {
  await using folder = await makeTemporaryFolder();
  const destination = folder.at('adapter');
  const first = await openStaging({ destination, source: 'a' });
  await first.setVersion('archive', { etag: '"1"' });
  await writeFile(`${first.directory}/archive.part`, 'abc');
  await first.makeFolder();
  await first.release();

  const again = await openStaging({ destination, source: 'a' });
  expect(again.versionOf('archive')).toEqual({ etag: '"1"' });
  expect((await readdir(again.directory)).sort()).toEqual(['archive.part', 'state.json']);
  await again.release();

  const other = await openStaging({ destination, source: 'b' });
  expect([other.versionOf('archive'), await readdir(other.directory)]).toEqual([undefined, []]);
  await other.remove();
  expect(await readdir(folder.path)).toEqual([]);
});

test('a state that was cut off means a new start', async () => {
  await using folder = await makeTemporaryFolder();
  const destination = folder.at('adapter');
  const first = await openStaging({ destination, source: 'a' });
  await writeFile(`${first.directory}/state.json`, '{"source":"a","ver');
  await writeFile(`${first.directory}/archive.part`, 'abc');
  await first.release();
  const again = await openStaging({ destination, source: 'a' });
  expect(await readdir(again.directory)).toEqual([]);
  await again.remove();
});
