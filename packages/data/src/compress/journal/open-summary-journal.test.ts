import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Summary } from '../summarize/summary.ts';
import { openSummaryJournal } from './open-summary-journal.ts';

const say = (text: string): Summary => ({
  ...{ text, calls: 1, errors: 0, isCut: false, promptTokens: 1, completionTokens: 1 },
});

test('what a full disk took of a line is taken back, so that later summaries are found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-journal-'));
  const path = join(folder, 'rows.summaries');
  const some = await open(join(folder, 'any'), 'w');
  const handles = Object.getPrototypeOf(some) as typeof some;
  await some.close();
  {
    await using journal = await openSummaryJournal(path);
    await journal.append('first', say('one'));
    const full = vi.spyOn(handles, 'appendFile').mockImplementationOnce(async function (this: typeof some, data) {
      await this.write((data as Buffer).subarray(0, 10));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    await expect(journal.append('lost', say('two'))).rejects.toThrow('no space');
    full.mockRestore();
    await journal.append('third', say('three'));
    expect(await journal.find('third')).toEqual(say('three'));
  }
  await using again = await openSummaryJournal(path);
  expect(await Promise.all(['first', 'lost', 'third'].map((key) => again.find(key)))).toEqual([
    say('one'),
    undefined,
    say('three'),
  ]);
  await rm(folder, { recursive: true });
});
