import { fork } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CaptureRecord } from '@lachesis/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { callRecord } from '../testing-records.fixture.ts';
import { drainOutbox } from './drain-outbox.ts';
import { openOutbox } from './open-outbox.ts';
import { openOutboxFolder } from './open-outbox-folder.ts';
import { OutboxError } from './outbox-error.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'lachesis-outbox-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function drainAll(batchSize?: number): Promise<{ records: CaptureRecord[]; torn: number; unreadable: number }> {
  const records: CaptureRecord[] = [];
  const report = await drainOutbox({
    folder: openOutboxFolder({ directory, pieceBytes: 2_000 }),
    deliver: async (batch) => void records.push(...batch),
    batchSize,
  });
  return { records, torn: report.torn, unreadable: report.unreadable };
}

const sequencesOf = (records: readonly CaptureRecord[]): number[] => records.map(({ sequence }) => sequence);

test('what is appended is there for a reader at once, in order, and is gone after it was delivered', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1', maxSegmentBytes: 3_000 });
  for (let sequence = 0; sequence < 20; sequence += 1) outbox.append(callRecord(sequence));
  const { records, torn } = await drainAll(3);
  expect(sequencesOf(records)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(torn).toBe(0);
  expect(await readdir(directory)).toEqual([]);
  await outbox.close();
});

test('a segment that is taken while it is written loses no line', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1' });
  const seen = new Set<number>();
  for (let sequence = 0; sequence < 200; sequence += 1) {
    outbox.append(callRecord(sequence));
    if (sequence % 7 === 0) for (const { sequence: got } of (await drainAll()).records) seen.add(got);
  }
  for (const { sequence: got } of (await drainAll()).records) seen.add(got);
  expect(seen.size).toBe(200);
  await outbox.close();
});

test('a line is written again when its file was taken after the last look', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1' });
  outbox.append(callRecord(0));
  const folder = openOutboxFolder({ directory });
  const [first] = await folder.list();
  // The writer still holds the file that was taken.
  outbox.append(callRecord(1));
  expect((await folder.read(first!, 0)).lines).toHaveLength(2);
  await folder.remove(first!);
  expect(sequencesOf((await drainAll()).records)).toEqual([1]);
  await outbox.close();
});

test('a reader that died leaves what it took to the next', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1' });
  outbox.append(callRecord(0));
  await openOutboxFolder({ directory }).list();
  outbox.append(callRecord(1));
  const { records } = await drainAll();
  expect([...new Set(sequencesOf(records))]).toEqual([0, 1]);
  await outbox.close();
});

test('a delivery that fails leaves everything that was not delivered', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1' });
  for (let sequence = 0; sequence < 4; sequence += 1) outbox.append(callRecord(sequence));
  const folder = openOutboxFolder({ directory });
  const away = drainOutbox({ folder, deliver: () => Promise.reject(new Error('away')) });
  await expect(away).rejects.toThrow('away');
  expect(sequencesOf((await drainAll()).records)).toEqual([0, 1, 2, 3]);
  await outbox.close();
});

test('one record that is refused does not hold up the others, and is kept', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1' });
  for (let sequence = 0; sequence < 4; sequence += 1) outbox.append(callRecord(sequence));
  const taken: number[] = [];
  const refusedFile = path.join(directory, 'refused.jsonl');
  const report = await drainOutbox({
    folder: openOutboxFolder({ directory }),
    deliver: async (batch) => {
      if (batch.some(({ sequence }) => sequence === 2)) throw new Error('bad record');
      taken.push(...sequencesOf(batch));
    },
    isRefusal: () => true,
    refusedFile,
  });
  expect(taken).toEqual([0, 1, 3]);
  expect(report).toEqual({ delivered: 3, refused: 1, unreadable: 0, torn: 0 });
  expect(await readFile(refusedFile, 'utf8')).toContain('"sequence":2');
  await outbox.close();
});

test('a last line that breaks off is reported, and so is one that is no record', async () => {
  const outbox = openOutbox({ directory, recorder: 'app-1' });
  outbox.append(callRecord(0));
  await outbox.close();
  await appendFile(path.join(directory, 'app-1', '0.jsonl'), '{"kind":"other"}\n{"kind":"ca');
  expect(await drainAll()).toMatchObject({ torn: 1, unreadable: 1, records: [{ sequence: 0 }] });
});

test('a name that is no folder and a folder that cannot be written are errors that say so', () => {
  expect(() => openOutbox({ directory, recorder: '../up' })).toThrow(OutboxError);
  // A file where a folder should be.
  const outbox = openOutbox({ directory: fileURLToPath(import.meta.url), recorder: 'app' });
  expect(() => outbox.append(callRecord(0))).toThrow(/Cannot begin .*ENOTDIR/);
});

test(
  'a process that is killed in the middle of its work keeps every record it had appended',
  { timeout: 20_000 },
  async () => {
    const writer = fork(fileURLToPath(new URL('outbox-writer.fixture.ts', import.meta.url)), [directory], {
      execArgv: ['--conditions=lachesis-source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let acknowledged = -1;
    const seen = new Set<number>();
    const ended = new Promise((resolve) => writer.once('exit', resolve));
    await new Promise<void>((resolve) => {
      writer.on('message', (sequence: number) => {
        acknowledged = sequence;
        if (sequence > 400) resolve();
      });
    });
    // Read while it writes, then dead in the middle of it.
    for (const { sequence } of (await drainAll()).records) seen.add(sequence);
    writer.kill('SIGKILL');
    await ended;
    for (const { sequence } of (await drainAll()).records) seen.add(sequence);
    const missing = Array.from({ length: acknowledged + 1 }, (_, index) => index).filter((index) => !seen.has(index));
    expect(missing).toEqual([]);
  },
);
