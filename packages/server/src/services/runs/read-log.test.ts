import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTailOffset, readLogFrom } from './read-log.ts';

async function createLog(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'x.log'), text);
  return join(folder, 'x.log');
}

test('whole lines are read, and reading goes on where it ended', async () => {
  const path = await createLog('one\ntwö\nthr');
  const first = await readLogFrom(path, 0);
  expect(first).toEqual({ lines: ['one', 'twö'], offset: 9 });
  expect(await readLogFrom(path, first.offset)).toEqual({ lines: [], offset: 9 });
  expect(await readLogFrom(path, first.offset, { isAll: true })).toEqual({ lines: ['thr'], offset: 12 });
  await appendFile(path, 'ee\n\n');
  expect(await readLogFrom(path, first.offset)).toEqual({ lines: ['three', ''], offset: 16 });
});

test('a log that began anew is read from its beginning', async () => {
  expect(await readLogFrom(await createLog('new\n'), 1_000)).toEqual({ lines: ['new'], offset: 4 });
});

test('the last lines are found however long the log is', async () => {
  const line = 'x'.repeat(99);
  const path = await createLog(`${line}\n`.repeat(2_000));
  expect(await findTailOffset(path, 3)).toBe(199_700);
  expect(await findTailOffset(path, 1_500)).toBe(50_000);
  expect(await findTailOffset(path, 9_999)).toBe(0);
  expect(await findTailOffset(await createLog('a\nb'), 1)).toBe(2);
  expect(await findTailOffset('/no/such/file', 1)).toBe(0);
});
