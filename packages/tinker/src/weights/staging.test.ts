import { readdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { openStaging } from './staging.ts';
import { makeTemporaryFolder } from './test-server.fixture.ts';

test('one download at a time makes a destination', async () => {
  await using folder = await makeTemporaryFolder();
  const destination = folder.at('adapter');
  const first = await openStaging({ destination, source: 'a' });
  await expect(openStaging({ destination, source: 'a' })).rejects.toMatchObject({ reason: 'busy', retryable: true });
  await first.release();
  const second = await openStaging({ destination, source: 'a' });
  await second.remove();
  expect(await readdir(folder.path)).toEqual([]);
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
