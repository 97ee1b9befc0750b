import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { openTerminal } from './open-terminal.ts';

const SECONDS = 1_000;
const folder = await mkdtemp(join(tmpdir(), 'lachesis-terminal-'));
const open = (): ReturnType<typeof openTerminal> =>
  openTerminal({ folder, env: { PATH: process.env['PATH'] ?? '', ONLY: 'this' } });

test('variables, folders and jobs stay from one command to the next, and nothing is inherited', async () => {
  await using terminal = open();
  expect(await terminal.type('X=1; mkdir -p inner && cd inner', 5 * SECONDS)).toMatchObject({ code: 0 });
  const { code, output } = await terminal.type('echo "$X $ONLY ${HOME-no home} $(basename "$PWD")"', 5 * SECONDS);
  expect([code, output]).toEqual([0, '1 this no home inner\n']);
  await terminal.type('sleep 60 &', 5 * SECONDS);
  expect(await terminal.type('kill $!', 5 * SECONDS)).toMatchObject({ code: 0 });
});

test('a command that fails is told by its code, and the next one is typed all the same', async () => {
  await using terminal = open();
  expect(await terminal.type('echo oh >&2; false', 5 * SECONDS)).toMatchObject({ code: 1, output: 'oh\n' });
  expect(await terminal.type('nosuch-program', 5 * SECONDS)).toMatchObject({ code: 127 });
  expect(await terminal.type('true', 5 * SECONDS)).toMatchObject({ code: 0 });
});

test('a command reads none of what is typed after it', async () => {
  await using terminal = open();
  expect(await terminal.type('cat', 5 * SECONDS)).toMatchObject({ code: 0, output: '' });
});

test('a program that goes on has begun when it says something, and ends by Ctrl-C', async () => {
  await using terminal = open();
  const program = `node -e "process.on('SIGINT', () => process.exit(3)); setTimeout(() => console.log('up'), 50); setInterval(() => {}, 1000)"`;
  expect(await terminal.begin(program, 20 * SECONDS)).toBeUndefined();
  expect(await terminal.interrupt()).toMatchObject({ code: 3, output: 'up\n' });
  expect(await terminal.begin('exit 4', 5 * SECONDS)).toMatchObject({ code: null });
});

test('a program that should go on and ends at once is told', async () => {
  await using terminal = open();
  expect(await terminal.begin('false', 5 * SECONDS)).toMatchObject({ code: 1 });
});

test('what takes too long is interrupted, and has no code', async () => {
  await using terminal = open();
  expect(await terminal.type('sleep 60', 200)).toMatchObject({ code: null });
});
