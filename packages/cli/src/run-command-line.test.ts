import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** What a person sees who types this. */
function type(...words: string[]): { code: number | null; out: string; error: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=lachesis-source', '--no-warnings', main, ...words],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  );
  return { code: status, out: stdout, error: stderr };
}

test('a command without what it needs says what is missing in one line, and shows no help', () => {
  expect(type('models', 'export')).toEqual({
    code: 2,
    out: '',
    error:
      'lachesis: lachesis models export wants <model>: name (its newest version), name@version, or an id. `lachesis models export --help` says more.\n',
  });
});

test.each([
  [['models', 'list', '--jsn'], 'there is no option --jsn. Did you mean --json?'],
  [['train', 'sft'], 'give what to learn from: --dataset name@version.'],
  [['modles'], 'there is no command lachesis modles. Did you mean lachesis models?'],
])('%j is one line with what to type, and exit code 2', (words, sentence) => {
  expect(type(...words)).toEqual({ code: 2, out: '', error: `lachesis: ${sentence}\n` });
});

test('help names a command as it is typed', () => {
  const { code, out } = type('data', 'sets', 'make', '--help');
  expect(code).toBe(0);
  expect(out).toContain('(data sets make)');
  expect(out).toContain('USAGE data sets make');
});
