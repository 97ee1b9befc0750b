import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { DiskFullError } from '../../errors/disk-full-error.ts';
import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import { createSqliteTarget } from '../../testing/test-stores.fixture.ts';

it('syncs every commit to a write-ahead log and checks foreign keys', async () => {
  await using target = await createSqliteTarget();
  const { db } = await target.open();
  expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }]);
  expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
  expect((await sql`pragma foreign_keys`.execute(db)).rows).toEqual([{ foreign_keys: 1 }]);
});

it('names every column of a table, also of one that another program has added a column to', async () => {
  await using target = await createSqliteTarget();
  const { db } = await target.open();
  await sql`create table things (a text, b text)`.execute(db);
  await sql`insert into things values ('1', '2')`.execute(db);
  const read = async () => (await sql`select * from things`.execute(db)).rows;
  expect(await read()).toEqual([{ a: '1', b: '2' }]);
  const other = new DatabaseSync(target.address.sqlitePath ?? '');
  other.exec(`alter table things add column c text default '3'`);
  expect(await read()).toEqual([{ a: '1', b: '2', c: '3' }]);
  other.exec('alter table things drop column a');
  other.close();
  expect(await read()).toEqual([{ b: '2', c: '3' }]);
});

it('reports a full disk and works again when there is space', async () => {
  await using target = await createSqliteTarget();
  const store = await target.open();
  const commitRun = (name: string) =>
    store.commit({
      statements: [
        {
          query: store.db
            .insertInto('runs')
            .values({ tenant_id: 't', run_id: name.slice(0, 5), name, created_at: 0 })
            .compile(),
        },
      ],
    });
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  await sql.raw(`pragma max_page_count = ${rows[0]?.page_count}`).execute(store.db);
  await expect(commitRun('x'.repeat(1_000_000))).rejects.toSatisfy(DiskFullError.isInstance);
  await sql.raw('pragma max_page_count = 1000000').execute(store.db);
  await expect(commitRun('small')).resolves.toHaveProperty('databaseNow');
});

it('waits for another process that holds the file, and no longer than the deadline', async () => {
  await using target = await createSqliteTarget();
  const store = await target.open({ deadlineMs: 500 });
  const other = new DatabaseSync(target.address.sqlitePath ?? '');
  other.exec('begin immediate');
  const query = sql`update runs set created_at = 0`.compile(store.db);
  const blocked = store.commit({ statements: [{ query }] });
  await expect(blocked).rejects.toSatisfy(StoreTimeoutError.isInstance);
  other.exec('rollback');
  other.close();
  await expect(store.commit({ statements: [{ query }] })).resolves.toHaveProperty('databaseNow');
});

// Without the lock, the next program that opens the file and leaves it (as `sqlite3` does) takes itself for the last one
// and removes the log under us. The system is asked: node:sqlite leaves the log alone, so none of our programs shows it.
it.skipIf(!existsSync('/proc/locks'))('keeps its lock when the file is opened again in the same process', async () => {
  await using target = await createSqliteTarget();
  await target.open();
  const { ino } = statSync(target.address.sqlitePath ?? '');
  const countLocks = () =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
  expect(countLocks()).toBe(1);
  await target.open();
  expect(countLocks()).toBe(1);
});

it('has after kill -9 every run whose commit was answered', async () => {
  await using target = await createSqliteTarget();
  const script = `
    const { openStore } = await import(${JSON.stringify(new URL('../open-store.ts', import.meta.url).href)});
    const store = await openStore({ sqlitePath: ${JSON.stringify(target.address.sqlitePath)} });
    for (let turn = 0; ; turn += 1) {
      await Promise.all(Array.from({ length: 8 }, async (_, lane) => {
        const name = turn + '-' + lane;
        const query = store.db.insertInto('runs').values({ tenant_id: 't', run_id: name, name, created_at: 0 }).compile();
        await store.commit({ statements: [{ query, expectRows: 1 }] });
        process.stdout.write(name + '\\n');
      }));
    }`;
  const child = spawn(
    process.execPath,
    ['--conditions=lachesis-source', '--input-type=module-typescript', '--eval', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const acknowledged: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    acknowledged.push(line);
    if (acknowledged.length === 200) child.kill('SIGKILL');
  });
  await once(lines, 'close');
  const store = await target.open();
  const rows = await store.db.selectFrom('runs').select('name').execute();
  const kept = new Set(rows.map(({ name }) => name));
  expect(acknowledged.length).toBeGreaterThanOrEqual(200);
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
});
