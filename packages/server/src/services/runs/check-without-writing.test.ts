import { createSlots } from '@lachesis/protocol';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkWithoutWriting } from './check-without-writing.ts';

/** Notes when it begins and ends, and passes. */
const CHECK = `
  const { appendFileSync } = require('node:fs');
  appendFileSync(process.argv[2], '+');
  setTimeout(() => {
    appendFileSync(process.argv[2], '-');
    console.log(JSON.stringify([{ name: 'loads', verdict: 'ok', detail: '' }]));
  }, 100);
`;

test('no more checks go on at once than there are slots, and nothing of them stays behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(folder, 'check.cjs');
  const marks = join(folder, 'marks');
  const settings = join(folder, 'settings');
  await writeFile(script, CHECK);

  const slots = createSlots(2);
  const program = { file: process.execPath, arguments: [script, marks] };
  const check = (): Promise<unknown> =>
    checkWithoutWriting({ program, slots, folder: settings, name: 'digits', settings: {}, variables: {} });
  const answers = await Promise.all(Array.from({ length: 5 }, check));

  expect(answers).toEqual(Array.from({ length: 5 }, () => [{ name: 'loads', verdict: 'ok', detail: '' }]));
  let open = 0;
  const most = Math.max(...Array.from(await readFile(marks, 'utf8'), (mark) => (open += mark === '+' ? 1 : -1)));
  expect(most).toBeLessThanOrEqual(2);
  expect(await readdir(settings)).toEqual([]);
});
