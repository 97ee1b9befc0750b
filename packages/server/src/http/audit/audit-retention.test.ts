import { appendAudit, openAuditKey, openStore, verifyAudit, verifyAuditExport, type AuditEntry } from '@lachesis/store';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { retainAuditLog } from './audit-retention.ts';

const DAY_MS = 86_400_000;

it('moves old lines of the audit log into a file that verifies, and leaves a log that does', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-retention-'));
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const key = await openAuditKey(home);
  const entry = (day: number): AuditEntry => ({
    ...{ at: day * DAY_MS, tenantId: 'a', action: 'token create', tokenId: null, from: 'cli:me', by: 'cli' },
    ...{ things: {}, result: 'ok', count: 1 },
  });
  await appendAudit({ store, key, entries: [1, 2, 3, 4, 5].map((day) => entry(day)) });
  const recorded: unknown[] = [];
  const audit = { key, record: (given: unknown) => void recorded.push(given) };
  const archive = join(home, 'archive');
  expect(await retainAuditLog({ store, audit, days: 2, archive, now: () => 5 * DAY_MS })).toEqual({ lines: 2 });
  expect(recorded).toEqual([{ action: 'audit retain', things: { lines: '2', up_to: '2' } }]);
  expect(await readdir(archive)).toEqual(['audit-1-2.jsonl']);
  const lines = (await readFile(join(archive, 'audit-1-2.jsonl'), 'utf8')).trim().split('\n');
  expect(await verifyAuditExport({ lines: toAsync(lines), keys: [key] })).toMatchObject({ ok: true, lines: 2 });
  expect(await verifyAudit({ store, keys: [key] })).toMatchObject({ ok: true, lines: 3, from: { cursor: 2 } });
  await store.close();
});

async function* toAsync(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
