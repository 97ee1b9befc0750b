import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const MAIN = new URL('../main.ts', import.meta.url).pathname;
const SECRET = 'tml-do-not-show-me';
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-config-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

async function lachesis(words: readonly string[], input = ''): Promise<{ code: number | null; output: string }> {
  const { TINKER_API_KEY: _key, TINKER_BASE_URL: _url, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--conditions=lachesis-source', MAIN, ...words], {
    env: { ...inherited, LACHESIS_HOME: home },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  return { code, output };
}

test('a key is read from a pipe, listed by its name, and never printed', async () => {
  const set = await lachesis(['config', 'set', 'TINKER_API_KEY'], `${SECRET}\n`);
  const list = await lachesis(['config', 'list', '--json']);
  const get = await lachesis(['config', 'get', 'TINKER_API_KEY']);
  const unset = await lachesis(['config', 'unset', 'TINKER_API_KEY']);
  const gone = await lachesis(['config', 'get', 'TINKER_API_KEY']);
  expect([set, list, get, unset, gone].map(({ code }) => code)).toEqual([0, 0, 0, 0, 1]);
  expect(JSON.parse(list.output)).toMatchObject([{ name: 'TINKER_API_KEY', hidden_by_environment: false }]);
  expect([set, list, get, unset, gone].map(({ output }) => output).join('')).not.toContain(SECRET);
}, 60_000);

test('other commands see the key, and doctor says where it comes from', async () => {
  await lachesis(['config', 'set', 'TINKER_API_KEY', SECRET]);
  const { output: engine } = await lachesis(['engine', 'status', '--json']);
  expect(JSON.parse(engine)).toMatchObject({ outside: { variable: 'TINKER_API_KEY' } });
  const { output } = await lachesis(['doctor', '--json']);
  const findings = JSON.parse(output) as { name: string; message: string }[];
  expect(findings.find(({ name }) => name === 'keys')?.message).toBe('TINKER_API_KEY (secrets.env)');
  expect(output).not.toContain(SECRET);
}, 60_000);

test('a file that others can read stops commands, and doctor tells the fix and ends with 1', async () => {
  await lachesis(['config', 'set', 'TINKER_API_KEY', SECRET]);
  await chmod(join(home, 'secrets.env'), 0o644);
  const stopped = await lachesis(['engine', 'status']);
  expect(stopped).toMatchObject({ code: 1 });
  expect(stopped.output).toContain('chmod 600');
  const doctor = await lachesis(['doctor', '--json']);
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.output)).toContainEqual(
    expect.objectContaining({
      name: 'keys',
      verdict: 'fail',
      fix: `Close it with: chmod 600 ${join(home, 'secrets.env')}`,
    }),
  );
}, 60_000);

test('names that are none, and empty values, are refused', async () => {
  expect(await lachesis(['config', 'set', 'NODE_OPTIONS', '--inspect'])).toMatchObject({ code: 2 });
  expect((await lachesis(['config', 'set', 'MY_KEY'], '\n')).output).toContain('no value was given for MY_KEY');
}, 60_000);
