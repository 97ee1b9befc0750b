import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import type {
  BuiltTrajectoryApi,
  TrajectoryApiReplacements,
} from '../../../packages/server/src/trajectory-api/build.ts';
import { createTestDatabase } from '../../kit/create-test-database.ts';
import { call, openCluster, push, type Cluster } from './cluster.ts';
import { stealRun } from './steal-run.ts';

const serverUrl = process.env['DATABASE_URL_TEST'] ?? '';

/** A database and a home of their own. */
async function openPlace(): Promise<AsyncDisposable & { databaseUrl: string; home: string }> {
  const database = await createTestDatabase({ serverUrl });
  const home = await mkdtemp(join(tmpdir(), 'lachesis-replicas-'));
  return {
    databaseUrl: database.url,
    home,
    async [Symbol.asyncDispose]() {
      await rm(home, { recursive: true, force: true });
      await database.drop();
    },
  };
}

/** Every call at the next server, as a balancer that goes round would send it. */
async function countRefusals({ apis }: Cluster, rounds: number): Promise<{ acks: number; refused: number }> {
  let turn = 0;
  const next = (): BuiltTrajectoryApi | undefined => apis[turn++ % apis.length];
  await call(next(), 'PUT', '/v1/registration', { batch_size: 2 });
  // Each has the run in its memory from here on.
  for (const api of apis) await call(api, 'GET', '/v1/ledger');
  let refused = 0;
  let acks = 0;
  for (let round = 0; round < rounds; round += 1) {
    expect((await push(next(), String(round))).status).toBe(200);
    const { json } = await call(next(), 'POST', '/v1/batches', { consumer: 'trainer', wait_seconds: 2 });
    // One that answers from its memory knows of no group.
    if (json.batch === null || json.batch === undefined) continue;
    const { batch_id: batch, epoch } = json.batch;
    acks += 1;
    const ack = await call(next(), 'POST', `/v1/batches/${batch}/ack`, { epoch });
    if (ack.status !== 200) refused += 1;
  }
  return { acks, refused };
}

describe.skipIf(serverUrl === '')('three trajectory APIs over one PostgreSQL', () => {
  it('refuse valid acknowledgements when each answers from its own memory, which is the defect', async () => {
    await using place = await openPlace();
    await using cluster = await openCluster({
      ...place,
      owned: false,
      replace: { persistence: (real) => ({ ...real, isShared: false }) },
    });
    const { acks, refused } = await countRefusals(cluster, 12);
    expect(acks < 12 || refused > 0).toBe(true);
  }, 120_000);

  it('refuse none when every run has one owner, and the owner alone writes', async () => {
    await using place = await openPlace();
    await using cluster = await openCluster({ ...place, owned: true });
    expect(await countRefusals(cluster, 12)).toEqual({ acks: 12, refused: 0 });
    const { json } = await call(cluster.apis[1], 'GET', '/v1/ledger');
    expect(json).toMatchObject({ produced: 12, trained: 12, balanced: true });
    const owners = await cluster.store.db
      .selectFrom('leases')
      .select('holder')
      .where('kind', '=', 'run-queue')
      .execute();
    expect(owners).toHaveLength(1);
    // What is refused at the owner is refused in the same words elsewhere.
    for (const api of cluster.apis) {
      const late = await call(api, 'POST', '/v1/batches/0192aaaa-0000-7000-8000-000000000001/ack', { epoch: 7 });
      expect([late.status, late.json.error?.code]).toEqual([409, 'stale-lease']);
    }
    // The same key is the same group, at whichever server it comes again.
    for (const api of cluster.apis) expect((await push(api, '3')).json).toMatchObject({ replayed: true });
  }, 120_000);

  it('give a run to the next one when its owner ends', async () => {
    await using place = await openPlace();
    await using cluster = await openCluster({ ...place, owned: true });
    const [first, second, third] = cluster.apis;
    await call(first, 'PUT', '/v1/registration', { batch_size: 2 });
    await push(second, '1');
    await first?.close();
    expect((await push(second, '2')).status).toBe(200);
    expect((await call(third, 'GET', '/v1/ledger')).json).toMatchObject({ produced: 2 });
  }, 120_000);

  it('a server whose epoch is over writes nothing, although its rows are current', async () => {
    await using place = await openPlace();
    expect(await stealRun(place)).toEqual({ status: 503, rows: 0 });
    const replace: TrajectoryApiReplacements = {
      persistence: (real) => ({ ...real, commit: (state, changes) => real.commit(state, changes) }),
    };
    expect(await stealRun({ ...place, replace })).toEqual({ status: 200, rows: 1 });
  }, 120_000);

  it('let nobody ask them who has no token of a server', async () => {
    await using place = await openPlace();
    await using cluster = await openCluster({ ...place, owned: true });
    const [address] = cluster.addresses;
    const body = { id: 'x', from: 'me', tenantId: 'local', runName: 'default', command: 'reset', input: {} };
    for (const headers of [{}, { authorization: 'Bearer lch_x_y' }]) {
      const reply = await fetch(`${address}/ask`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(reply.status).toBe(401);
    }
  }, 120_000);
});
