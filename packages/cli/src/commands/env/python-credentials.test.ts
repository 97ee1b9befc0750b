import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addCredentials } from './python-credentials.ts';

async function makeConfig(value: object): Promise<{ folder: string; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-python-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'env.yaml');
  await writeFile(file, JSON.stringify(value));
  return { folder, file };
}

test('the key and the password go to stations of this machine, in a file that goes with the process', async () => {
  const { folder, file } = await makeConfig({
    env: { rollout_server_url: 'http://127.0.0.1:8000/run/abc', group_size: 4 },
    openai: [{ base_url: 'http://localhost:8001/v1' }, { base_url: 'https://api.example/v1' }],
  });
  {
    await using given = await addCredentials(['--config', file, '--x', 'y'], { token: 'lch_t', processId: 7 });
    expect(given.argv).toEqual(['--config', `${file}.7.yaml`, '--x', 'y']);
    expect((await stat(`${file}.7.yaml`)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(`${file}.7.yaml`, 'utf8'))).toEqual({
      env: { rollout_server_url: 'http://lachesis:lch_t@127.0.0.1:8000/run/abc', group_size: 4 },
      openai: [{ base_url: 'http://localhost:8001/v1', api_key: 'lch_t' }, { base_url: 'https://api.example/v1' }],
    });
  }
  expect(await readdir(folder)).toEqual(['env.yaml']);
});

test('what has a credential keeps it, and nothing is sent off this machine', async () => {
  const config = {
    env: { rollout_server_url: 'http://elsewhere.example:8000' },
    openai: { base_url: 'http://127.0.0.1:1/v1', api_key: 'own' },
  };
  const { file } = await makeConfig(config);
  await using given = await addCredentials([`--config=${file}`], { token: 'lch_t', processId: 7 });
  expect(given.argv).toEqual([`--config=${file}.7.yaml`]);
  expect(JSON.parse(await readFile(`${file}.7.yaml`, 'utf8'))).toEqual(config);
});

test.each([
  [['--config', '/nowhere'], undefined],
  [['--env.x', '1'], 'lch_t'],
])('%j with the token %s stays as it is', async (argv, token) => {
  await using given = await addCredentials(argv, { token });
  expect(given.argv).toBe(argv);
});
