import { expect, test } from 'vitest';

import { runTool } from './run-tool.ts';

const node = (source: string) => ({ command: process.execPath, args: ['-e', source], timeoutMs: 10_000 });

test('both outputs are told line by line, and the code is kept', async () => {
  const lines: string[] = [];
  const result = await runTool({
    ...node('console.log("one"); console.error("two"); process.exitCode = 3'),
    onLine: (line) => lines.push(line),
  });
  expect(result.code).toBe(3);
  expect(lines.toSorted()).toEqual(['one', 'two']);
});

test('a program that is not there is a result', async () => {
  const result = await runTool({ command: '/nowhere/python3.12', args: [], timeoutMs: 1_000 });
  expect(result).toMatchObject({ code: undefined, output: expect.stringContaining('ENOENT') });
});

test('one that takes too long is ended, and says so', async () => {
  const result = await runTool({ ...node('setInterval(() => {}, 1000)'), timeoutMs: 200 });
  expect(result).toMatchObject({ code: undefined, output: expect.stringContaining('was ended after') });
});

test('an abort ends it', async () => {
  const running = runTool({ ...node('setInterval(() => {}, 1000)'), signal: AbortSignal.timeout(100) });
  await expect(running).rejects.toThrow(/abort|timeout/i);
});
