import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** What a person sees who types this. */
function type(...words: string[]): { code: number | null; out: string; error: string } {
  return typeWith({}, ...words);
}

function typeWith(env: NodeJS.ProcessEnv, ...words: string[]): { code: number | null; out: string; error: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=lachesis-source', '--no-warnings', main, ...words],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', ...env } },
  );
  return { code: status, out: stdout, error: stderr };
}

test('a command without what it needs says what is missing in one line, and shows no help', () => {
  expect(type('models', 'export')).toEqual({
    code: 2,
    out: '',
    error:
      'lachesis: lachesis models export wants <model>: name (its newest version), name@version, an id, run:step or a tinker:// path. `lachesis models export --help` says more.\n',
  });
});

test.each([
  [['models', 'list', '--jsn'], 'there is no option --jsn. Did you mean --json?'],
  [['train', 'sft'], 'give what to learn from: --dataset name@version.'],
  [['modles'], 'there is no command lachesis modles. Did you mean lachesis models?'],
])('%j is one line with what to type, and exit code 2', (words, sentence) => {
  expect(type(...words)).toEqual({ code: 2, out: '', error: `lachesis: ${sentence}\n` });
});

test.each([
  ['improve', '--model', 'm', 'stop'],
  ['train', '--config=x', 'gsm8k'],
  ['batch', '--run_name', 'r', '--resume', 'True', 'list'],
])('a word that belongs to no option is refused before anything is begun: %s %s %s %s', (...words) => {
  expect(type(...words)).toEqual({
    ...{ code: 2, out: '' },
    error: `lachesis: ${JSON.stringify(words.at(-1))} belongs to no option. The name of a command comes before all options: \`lachesis ${words[0]} --help\` lists them.\n`,
  });
});

test.each([
  ['batch', '--batch_size', '1', '--resume', 'True', '--run_name', 'list', '--dataset_file', 'show'],
  ['batch', '--verbose', 'list', '--batch-size=1', '--run-name', 'list', '--dataset-file', 'show'],
])('the value of an option is never the name of a command, %s %s %s %s', (...words) => {
  const { code, out, error } = type(...words);
  expect([code, out]).toEqual([1, '']);
  // It went on to read its prompts.
  expect(error).toContain('There is no file show');
});

test('values of sections stand behind their option or in it', () => {
  for (const words of [['--env.total_steps', 'no'], ['--env.total_steps=no']]) {
    const { code, error } = type('train', ...words);
    expect([code, error]).toEqual([1, expect.stringContaining('total_steps')]);
  }
});

test('help names a command as it is typed, and is the same behind the word help', () => {
  const { code, out } = type('data', 'sets', 'make', '--help');
  expect(code).toBe(0);
  expect(out).toContain('lachesis data sets make <name> [options]');
  expect(type('help', 'data', 'sets', 'make').out).toBe(out);
});

test('an option that is refused by a server is named as it was typed', () => {
  const { code, error } = type('up', '--upstream-url', 'localhost:11434');
  expect(code).toBe(78);
  expect(error).toMatch(/^lachesis: --upstream-url is "localhost:11434"/);
  expect(type('up', '--control-port', 'x').error).toMatch(/^lachesis: --control-port is "x"/);
});

test('what the store refuses is a sentence, whatever command opens it', () => {
  const { code, error } = typeWith({ LACHESIS_BLOBS: 's3://' }, 'gc', '--home', mkdtempSync(join(tmpdir(), 'home-')));
  expect([code, error]).toEqual([1, expect.stringMatching(/^lachesis: LACHESIS_BLOBS is s3:\/\/: it should be .+\n$/)]);
});
