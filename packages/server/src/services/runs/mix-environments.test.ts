import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mixEnvironments } from './mix-environments.ts';

const SCRIPT = new URL('./mix-environments.fixture.ts', import.meta.url).pathname;

async function mix(words: Readonly<Record<string, string>>, signal = new AbortController().signal) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-mix-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = join(folder, 'log.txt');
  const lines: string[] = [];
  const code = mixEnvironments({
    environments: Object.entries(words).map(([name, word]) => ({ name, arguments: [name, word, log] })),
    program: { file: process.execPath, arguments: [SCRIPT] },
    env: { PATH: process.env['PATH'] },
    signal,
    onLine: (line) => lines.push(line),
    firstPauseMs: 5,
  });
  return { code, lines, told: async () => (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').toSorted() };
}

test('all that ended are the end, and each line carries the name of its environment', async () => {
  const { code, lines, told } = await mix({ digits: 'end', letters: 'end' });
  expect(await code).toBe(0);
  expect(await told()).toEqual(['digits start', 'letters start']);
  expect(lines.toSorted()).toEqual(['digits: rolls out', 'letters: rolls out']);
});

test('one that dies is started again, alone', async () => {
  const { code, lines, told } = await mix({ digits: 'die-once', letters: 'end' });
  expect(await code).toBe(0);
  expect(await told()).toEqual(['digits start', 'digits start', 'letters start']);
  expect(lines).toContain('digits: ended (exit code 3) and is started again');
});

test.each([
  ['refuses', 'refuse', 78, 1],
  ['dies again and again', 'die', 3, 5],
])('one that %s ends all with its code', async (_what, word, code, starts) => {
  const mixed = await mix({ digits: 'stay', letters: word });
  expect(await mixed.code).toBe(code);
  const told = await mixed.told();
  expect(told.filter((line) => line === 'letters start')).toHaveLength(starts);
  expect(mixed.lines).toContain(`letters: ended (exit code ${code}) and is not started again`);
});

test('who asks it to end asks all of them, and is obeyed with 0', async () => {
  const end = new AbortController();
  const { code, lines, told } = await mix({ digits: 'stay', letters: 'stay' }, end.signal);
  await expect.poll(() => lines.length, { timeout: 5_000 }).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  end.abort();
  expect(await code).toBe(0);
  expect(await told()).toEqual(['digits asked to end', 'digits start', 'letters asked to end', 'letters start']);
});
