import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** What a person sees, and the code it ends with. */
function type(words: string, home: string): Promise<{ code: unknown; said: string }> {
  const env = { ...process.env, LACHESIS_HOME: home, DATABASE_URL: undefined };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=lachesis-source', main, ...words.split(' ')],
      { env },
      (error, out, err) => resolve({ code: error?.code ?? 0, said: out + err }),
    );
  });
}

test('tokens made, rotated and revoked are in the log, which is verified, exported and found out', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-audit-'));
  try {
    const made = JSON.parse((await type('token create --name ci --scope view --json', home)).said) as {
      token_id: string;
    };
    const rotated = await type(`token rotate ${made.token_id} --overlap 1h`, home);
    const secret = /^lch_[0-9a-f-]{36}_(\S+)/m.exec(rotated.said)?.[1] ?? 'none';
    expect(rotated.said).toMatch(/^lch_[0-9a-f-]{36}_\S{43}\n[^]*The old one is good until/);
    expect(await type('token list', home)).toMatchObject({
      said: expect.stringMatching(/never used[^]*never used/) as string,
    });
    expect(await type(`token revoke ${rotated.said.trim().split('\n')[0]}`, home)).toMatchObject({ code: 1 });

    const listed = await type('audit list', home);
    expect(listed.said.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^1 .* local\/local {2}token create {2}scopes=view {2}token=\S+ {2}from cli:\S+ \(cli\) {2}ok$/,
      ),
      expect.stringMatching(/^2 .* token rotate {2}old=\S+ {2}token=\S+ {2}from/),
      expect.stringMatching(/^3 .* token revoke {2}token=\(no id\) .* not-found$/),
    ]);
    expect(listed.said).not.toContain(secret);
    expect((await type('audit list --refused', home)).said).toMatch(/^3 [^\n]*\n$/);
    expect((await type(`audit list --token ${made.token_id} --json`, home)).said.split('\n')).toHaveLength(2);
    expect(await type('audit verify', home)).toMatchObject({
      code: 0,
      said: expect.stringContaining('3 lines, 1 to 3,') as string,
    });

    const file = join(home, 'log.jsonl');
    expect(await type(`audit export --output ${file}`, home)).toMatchObject({ code: 0 });
    const pem = join(home, 'public.pem');
    await writeFile(pem, (await type('audit key', home)).said);
    expect(await readFile(pem, 'utf8')).toContain('BEGIN PUBLIC KEY');
    expect(await type(`audit verify --file ${file} --key ${pem} --home /nowhere`, home)).toMatchObject({ code: 0 });
    expect(await type(`audit verify --against ${file}`, home)).toMatchObject({ code: 0 });

    const database = new DatabaseSync(join(home, 'lachesis.db'));
    database.exec("update audit_lines set data = replace(data, 'view', 'admin') where cursor = 1");
    database.close();
    expect(await type('audit verify', home)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^line 1: /) as string,
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}, 120_000);
