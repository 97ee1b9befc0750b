import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { EXIT_INTERRUPTED } from '../scenarios/run-scenario.ts';
import { runShow } from './run-show.ts';

const LINE = { name: 'gain', figure: 'threw Error: interrupted', bar: 'no error', ok: false };

async function runProgram(text: string) {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-run-show-'));
  try {
    const program = join(directory, 'program.mjs');
    await writeFile(program, text);
    return (await runShow({ kind: 'e2e', name: 'learns/copy', title: '' }, new AbortController().signal, program))
      .lines;
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('what a show says are its lines, and silence is one', async () => {
  expect(await runProgram(`console.log('${JSON.stringify(LINE)}'); process.exitCode = 1;`)).toEqual([LINE]);
  expect(await runProgram('')).toEqual([
    { name: 'learns/copy', figure: 'said nothing', bar: 'at least one line', ok: false },
  ]);
});

test('a show whose own process was told to end has none', async () => {
  const text = `console.log('${JSON.stringify(LINE)}'); process.exitCode = ${EXIT_INTERRUPTED};`;
  expect(await runProgram(text)).toEqual([]);
});
