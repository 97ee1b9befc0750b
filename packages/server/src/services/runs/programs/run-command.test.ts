import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from './run-command.ts';

const shell = (script: string, rest: { signal?: AbortSignal; input?: string; logPath?: string } = {}) => {
  const lines: string[] = [];
  const ended = runCommand({
    ...{ program: { file: '/bin/sh', arguments: ['-c'] }, arguments: [script], workingDirectory: tmpdir() },
    env: { PATH: process.env['PATH'], SAID: 'yes', LACHESIS_CHILD_SETTINGS: 'secret' },
    signal: new AbortController().signal,
    onLine: (line) => lines.push(line),
    ...rest,
  });
  return { lines, ended };
};

test('what a command prints is told line by line and kept, what it says at last is its reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-command-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const logPath = join(folder, 'x.log');
  const { lines, ended } = shell('cat; echo "$SAID$LACHESIS_CHILD_SETTINGS"; echo why >&2; exit 3', {
    ...{ input: 'given\n', logPath },
  });
  expect(await ended).toEqual({ code: 3, lastWords: 'why' });
  expect(lines).toEqual(['given', 'yes']);
  await expect
    .poll(async () => (await readFile(logPath, 'utf8')).split('\n').toSorted())
    .toEqual([...['', 'given', 'why', 'yes']]);
});

test('a command ends with its signal', async () => {
  const end = new AbortController();
  const { lines, ended } = shell('echo up; exec sleep 60', { signal: end.signal });
  await expect.poll(() => lines).toEqual(['up']);
  end.abort();
  expect((await ended).code).toBeNull();
});
