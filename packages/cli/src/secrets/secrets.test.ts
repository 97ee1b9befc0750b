import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listSecrets, setSecret, unsetSecret } from './change-secrets.ts';
import { findCommandHome, loadSecrets } from './load-secrets.ts';
import { parseSecrets, writeSecrets } from './parse-secrets.ts';
import { refuseSecretName } from './secret-name.ts';
import { readSecretsFile, secretsPath } from './secrets-file.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-secrets-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

test('a secret is kept in a file that only its owner can read, and is listed without its value', async () => {
  await setSecret({ home, name: 'TINKER_API_KEY', value: 'tml-very-secret', now: () => AT });
  expect((await stat(secretsPath(home))).mode & 0o777).toBe(0o600);
  expect(listSecrets({ home })).toEqual([{ name: 'TINKER_API_KEY', setAt: '2026-01-02T03:04:05.000Z' }]);
  expect(await readdir(home)).toEqual(['secrets.env']);
});

test('a variable that is set goes before the file, even when it is empty', async () => {
  await setSecret({ home, name: 'OPENAI_API_KEY', value: 'of-the-file' });
  await setSecret({ home, name: 'WANDB_API_KEY', value: 'also-of-the-file' });
  const env: Record<string, string | undefined> = { OPENAI_API_KEY: '' };
  loadSecrets({ rawArgs: ['up', '--home', home], env });
  expect(env).toEqual({ OPENAI_API_KEY: '', WANDB_API_KEY: 'also-of-the-file' });
});

test('what a control server starts gets what it is given and nothing of the file', async () => {
  await setSecret({ home, name: 'OPENAI_API_KEY', value: 'of-the-file' });
  const env: Record<string, string | undefined> = { LACHESIS_SECRETS: 'given' };
  loadSecrets({ rawArgs: ['env', 'serve', '--home', home], env });
  expect(env).toEqual({ LACHESIS_SECRETS: 'given' });
});

test('a file that others can read is refused with the command that closes it', async () => {
  await setSecret({ home, name: 'A_KEY', value: 'hidden-value' });
  await chmod(secretsPath(home), 0o640);
  expect(() => readSecretsFile(home)).toThrow(/mode 640\).*chmod 600 /);
  await expect(setSecret({ home, name: 'B_KEY', value: 'x' })).rejects.toThrow('chmod 600');
  expect(await readdir(home)).toEqual(['secrets.env']);
});

test('a line that cannot be read is told by its number and not by its text', async () => {
  await writeFile(secretsPath(home), 'A_KEY=1\nmy secret is hunter2\n', { mode: 0o600 });
  expect(() => readSecretsFile(home)).toThrow('line 2');
  expect(() => readSecretsFile(home)).not.toThrow('hunter2');
});

test('writers at once lose nothing', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `KEY_${String(index).padStart(2, '0')}`);
  await Promise.all(names.map((name) => setSecret({ home, name, value: name.toLowerCase() })));
  expect(listSecrets({ home }).map(({ name }) => name)).toEqual(names);
});

test('unset removes one name and says whether it was there', async () => {
  await setSecret({ home, name: 'A_KEY', value: '1' });
  await setSecret({ home, name: 'B_KEY', value: '2' });
  expect([await unsetSecret({ home, name: 'A_KEY' }), await unsetSecret({ home, name: 'A_KEY' })]).toEqual([
    true,
    false,
  ]);
  expect(await readFile(secretsPath(home), 'utf8')).not.toContain('A_KEY');
});

test('whatever a value holds, it is read as it was written', () => {
  const value = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !/\p{Cc}|\u2028|\u2029/u.test(text) && text.trim() === text);
  fc.assert(
    fc.property(value, (text) => {
      const written = writeSecrets([{ name: 'A_KEY', value: text, setAt: undefined }]);
      expect(parseSecrets(written)).toEqual({
        secrets: [{ name: 'A_KEY', value: text, setAt: undefined }],
        unreadableLines: [],
      });
    }),
  );
});

test('names that change how programs run are refused, from the command and from the file', async () => {
  expect(['TINKER_API_KEY', 'HF_TOKEN'].map(refuseSecretName)).toEqual([undefined, undefined]);
  for (const name of ['PATH', 'NODE_OPTIONS', 'LD_PRELOAD', 'LACHESIS_HOME', 'lower', '']) {
    expect(refuseSecretName(name)).toBeTypeOf('string');
  }
  await writeFile(secretsPath(home), 'NODE_OPTIONS=--require=x\n', { mode: 0o600 });
  const env = { LACHESIS_HOME: home };
  loadSecrets({ rawArgs: [], env });
  expect(env).toEqual({ LACHESIS_HOME: home });
});

test('the home is that of the flag, then of the variable', () => {
  const env = { LACHESIS_HOME: '/variable' };
  expect(findCommandHome({ rawArgs: ['up', '--home=/flag'], env })).toBe('/flag');
  expect(findCommandHome({ rawArgs: ['up', '--home', '/flag'], env })).toBe('/flag');
  expect(findCommandHome({ rawArgs: ['up'], env })).toBe('/variable');
});
