import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** What a person sees, and the code it ends with. */
function type(words: readonly string[], home: string): Promise<{ code: unknown; said: string }> {
  const env = { ...process.env, LACHESIS_HOME: home, DATABASE_URL: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=lachesis-source', main, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, said: stdout + stderr }),
    );
  });
}

test.each([
  ['token', 'list', '--hom', 'elsewhere'],
  ['token', 'create', '--name', 'a', '--scope', 'view', '--expire', '1h'],
  ['token', 'revoke', 'some-id', '--tenat', 'b'],
])('a misspelt option of %s %s is refused before anything is opened', async (...words) => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-token-'));
  try {
    const { code, said } = await type(words, home);
    expect(code).toBe(2);
    expect(said).toContain('Did you mean');
    expect(await readdir(home)).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test.each([
  ['--tenant', '..'],
  ['--tenant', ''],
  ['--tenant', 'a\nb'],
  ['--run', '../x'],
])('%s %j is refused before anything is opened', async (flag, name) => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-token-'));
  try {
    const { code, said } = await type(['token', 'create', '--name', 'a', '--scope', 'view', `${flag}=${name}`], home);
    expect(code).toBe(1);
    expect(said).toContain('letters, digits, dots, dashes and underscores');
    expect(await readdir(home)).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
