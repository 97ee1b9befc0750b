import type { MessagesRecord } from '@lachesis/protocol';
import { openHome, recordCaptures, retain, writeKeepPolicy } from '@lachesis/store';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { askFiles, DUCKDB } from './ask-files.ts';

async function withHome(work: (home: Awaited<ReturnType<typeof openHome>>) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-ask-'));
  try {
    await using home = await openHome({ home: folder, databaseUrl: undefined });
    await work(home);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const createRecord = (model: string, sequence: number): MessagesRecord => ({
  ...{ record_id: randomUUID(), kind: 'messages', recorder: 'test', sequence, trajectory: `t${sequence}` },
  ...{ at: 1_700_000_000_000, user: null, tags: [], consent: 'train', metadata: null, source: 'app', tools: null },
  ...{ model, messages: [{ role: 'user', content: `it's ${sequence}` }] },
});

test('a question in SQL is answered from the files and the rows', () =>
  withHome(async ({ store, blobs }) => {
    const scope = { store, blobs, tenantId: 'local' };
    const ask = (sql: string, limit?: number) => askFiles({ ...scope, sql, ...(limit === undefined ? {} : { limit }) });
    expect(await ask('select count(*) as n from turns')).toEqual({ columns: ['n'], rows: [{ n: '0' }], left: 0 });
    await recordCaptures({
      ...scope,
      records: ['small', 'small', 'large'].map((model, sequence) => createRecord(model, sequence)),
    });
    await writeKeepPolicy({ ...scope, policy: { hot: 30 } });
    expect(await retain(scope)).toMatchObject({ cold: 3 });
    const counted = await ask('select model, count(*) as n from turns group by model order by model');
    expect(counted.rows).toEqual([
      { model: 'large', n: '1' },
      { model: 'small', n: '2' },
    ]);
    const said = await ask("select content->>'$.turn.messages[0].content' as said from turns order by said", 2);
    expect(said).toEqual({ columns: ['said'], rows: [{ said: "it's 0" }, { said: "it's 1" }], left: 1 });
    const joined = await ask('select count(*) as n from trajectories join turns using (trajectory_id)');
    expect(joined.rows).toEqual([{ n: '3' }]);
    expect((await ask('describe groups')).rows.map((row) => row['column_name'])).toContain('fate');
  }));

test('what is no SQL is told in one sentence with the views', () =>
  withHome(async ({ store, blobs }) => {
    const asked = askFiles({ store, blobs, tenantId: 'local', sql: 'select nosuch from turns' });
    await expect(asked).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('nosuch') as string,
      hint: expect.stringContaining('turns, groups and trajectories') as string,
    });
  }));

test('what is to be installed is what the package asks for', () => {
  expect(DUCKDB).toBe(`@duckdb/node-api@${manifest.peerDependencies['@duckdb/node-api']}`);
});
