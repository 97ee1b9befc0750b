import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Gate } from '../gate.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteThread, SqliteThreadEndedError } from './sqlite-thread.ts';

it('starts a new thread after one has died', async () => {
  const root = await mkdtemp(join(tmpdir(), 'lachesis-thread-'));
  const directory = join(root, 'later');
  const path = join(directory, 'store.db');
  const thread = new SqliteThread({ path, busyTimeoutMs: 100, maxCachedStatements: 10 });
  const statement = { sql: 'select 1 as one', parameters: [] };
  await expect(thread.send({ kind: 'query', statement })).rejects.toThrow(SqliteThreadEndedError);
  await mkdir(directory);
  await expect(thread.send({ kind: 'query', statement })).resolves.toMatchObject({
    answer: { columns: ['one'], rows: [[1]] },
  });
  await thread.stop();
  await rm(root, { recursive: true });
});

it('commits the units that arrive during a commit together', async () => {
  const sizes: number[] = [];
  // The thread's answers are all that matters here.
  const thread = {
    async send(request: { units: unknown[] }) {
      sizes.push(request.units.length);
      await new Promise((resolve) => setImmediate(resolve));
      return { kind: 'commit', answer: { databaseNow: 1, failures: request.units.map(() => null) } };
    },
  } as unknown as SqliteThread;
  const groupCommit = new GroupCommit({ thread, gate: new Gate(1) });
  const unit = { statements: [] };
  const first = groupCommit.commit(unit, 1_000);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await Promise.all([first, ...Array.from({ length: 400 }, () => groupCommit.commit(unit, 1_000))]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(401);
  expect(sizes.length).toBeLessThanOrEqual(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256);
});

it('says that a commit is unknown when its thread does not answer, and not written when it was never sent', async () => {
  const thread = { send: () => new Promise(() => undefined) } as unknown as SqliteThread;
  const groupCommit = new GroupCommit({ thread, gate: new Gate(1) });
  const sent = groupCommit.commit({ statements: [] }, 30);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const waiting = groupCommit.commit({ statements: [] }, 10);
  await expect(waiting).rejects.toMatchObject({ name: 'StoreTimeoutError', outcome: 'nothing-written' });
  await expect(sent).rejects.toMatchObject({ name: 'StoreTimeoutError', outcome: 'unknown' });
});

it('loads no package: a thread is started for every store, and a query builder would make that five times as slow', async () => {
  const outside = new Set<string>();
  const seen = new Set<string>();
  const follow = async (url: URL): Promise<void> => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const source = await readFile(url, 'utf8');
    for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)';/gm)) {
      if (from.startsWith('.')) await follow(new URL(from, url));
      else if (!from.startsWith('node:')) outside.add(from);
    }
  };
  await follow(new URL('sqlite-worker.ts', import.meta.url));
  expect(seen.size).toBeGreaterThan(5);
  expect([...outside]).toEqual([]);
});
