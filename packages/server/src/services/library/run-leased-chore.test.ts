import { openHome } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLeasedChore } from './run-leased-chore.ts';

test('a chore is done once in its time, by whichever process comes first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-chore-'));
  await using home = await openHome({ home: folder });
  const { store } = home;
  let runs = 0;
  const ask = (chore: string) => runLeasedChore({ store, chore, everyMs: 3_600_000, run: async () => (runs += 1) });
  const answers = await Promise.all([1, 2, 3].map(() => ask('a')));
  expect(answers.filter((answer) => answer !== undefined)).toEqual([1]);
  expect(await ask('b')).toBe(2);
  await store.db.updateTable('leases').set({ lease_expires_at: 1 }).execute();
  expect(await ask('a')).toBe(3);
  await rm(folder, { recursive: true });
});
