import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { DemoError } from './demo-error.ts';
import { explainFailure } from './explain-failure.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lachesis-failure-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('the station that is named is shown with its last lines, as sentences', async () => {
  const logFile = join(directory, 'env.log');
  await writeFile(logFile, `old\n{"level":50,"msg":"no","err":{"message":"why"}}\nSyntaxError: x\n`);
  const error = await explainFailure(`the environment ended 5 times (exit code 1); its log is ${logFile}`, {
    stations: [
      { name: 'trainer', logFile: join(directory, 'trainer.log') },
      { name: 'environment', logFile },
    ],
  });
  expect(DemoError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ station: 'environment', lastLines: ['old', 'no: why', 'SyntaxError: x'] });
  expect(error.message).toBe(
    `the environment ended 5 times (exit code 1)\nlast lines of the environment, ${logFile}:\n  old\n  no: why\n  SyntaxError: x`,
  );
});

test('a failure that names nobody is laid to the first, whose log may be missing', async () => {
  const stations = [{ name: 'trainer', logFile: join(directory, 'none.log') }];
  expect(await explainFailure('it stands still', { stations })).toMatchObject({ station: 'trainer', lastLines: [] });
});
