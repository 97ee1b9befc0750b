import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFieldReader } from './field-reader.ts';

const listed = {
  ...{ name: 'digits', class_name: 'digits', file_path: '/no/such.ts', description: '' },
  config_fields: [{ name: 'kind', type: 'enum' }],
};

test('an environment is loaded once for each content of its file, whatever its time says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-fields-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'digits.ts');
  await writeFile(file, '');
  const asked: (readonly string[])[] = [];
  const read = createFieldReader(async (given) => {
    asked.push(given);
    return { fields: [{ path: 'env.kind', name: 'kind', type: 'a|b', default: 'a', description: '' }] };
  });
  const environment = { ...listed, file_path: file };
  const [first] = await Promise.all([read(environment), read(environment)]);
  expect(first).toEqual([{ name: 'kind', type: 'a|b', default: 'a', description: '' }]);
  await read(environment);
  expect(asked).toEqual([['env', 'describe', 'digits', '--json']]);
  await utimes(file, 1, 1);
  await read(environment);
  expect(asked).toHaveLength(1);
  await writeFile(file, '//');
  await utimes(file, 1, 1);
  await read(environment);
  expect(asked).toHaveLength(2);
});

test('one that does not load is shown by what its source says', async () => {
  const read = createFieldReader(() => Promise.reject(new Error('it breaks')));
  expect(await read(listed)).toEqual(listed.config_fields);
});

test('nothing is loaded for an environment without fields, or in another language', async () => {
  const read = createFieldReader(() => Promise.reject(new Error('it was loaded')));
  expect(await read({ ...listed, config_fields: [] })).toEqual([]);
  expect(await read({ ...listed, file_path: '/x.py' })).toEqual(listed.config_fields);
});
