import { PACKED_GROUP_CONTENT_TYPE } from '@lachesis/protocol';
import { encodeGroup } from '@lachesis/protocol/codec';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApiBench, type ApiBench } from './bench.fixture.ts';

const group = {
  tokens: [
    [1, 2],
    [3, 4],
  ],
  masks: [
    [1, 2],
    [3, 4],
  ],
  scores: [0.5, 1],
};
const GROUP_ID = '0192aaaa-0000-7000-8000-000000000001';

async function call(
  bench: ApiBench,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const payload =
    body === undefined ? {} : { payload: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) };
  const reply = await bench.api.app.inject({
    method,
    url,
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
    ...payload,
  });
  return { status: reply.statusCode, text: reply.body };
}

function pushPacked(bench: ApiBench, key: string, score: number) {
  const rowLengths = Uint32Array.of(2, 2);
  const bytes = encodeGroup({
    header: { group_id: GROUP_ID },
    tokens: { values: Uint32Array.of(1, 2, 3, 4), rowLengths },
    masks: { values: Int32Array.of(1, 2, 3, 4), rowLengths },
    scores: Float64Array.of(score, 1),
  });
  return call(bench, 'POST', '/v1/groups', bytes, {
    'content-type': PACKED_GROUP_CONTENT_TYPE,
    'idempotency-key': key,
  });
}

describe('the native API', () => {
  it('answers a repeated key with the first reply, and refuses it for another body', async () => {
    await using bench = await createApiBench();
    expect(JSON.parse((await pushPacked(bench, 'k', 0)).text)).toMatchObject({ status: 'queued', replayed: false });
    expect(JSON.parse((await pushPacked(bench, 'k', 0)).text)).toMatchObject({ group_id: GROUP_ID, replayed: true });
    expect((await pushPacked(bench, 'k', 1)).status).toBe(409);
  });

  it('refuses a group id that exists under another key', async () => {
    await using bench = await createApiBench();
    await pushPacked(bench, 'k', 0);
    const second = await pushPacked(bench, 'other', 0);
    expect(second.status).toBe(409);
    expect(second.text).toContain('group_id');
  });

  it('takes a group whose rollouts were split, and hands it out by its rollouts', async () => {
    await using bench = await createApiBench();
    await call(bench, 'PUT', '/v1/registration', { batch_size: 4 });
    await call(bench, 'POST', '/v1/batches', {});
    const environment = { max_token_length: 64, desired_name: 'agent', weight: 1, group_size: 4 };
    const { env_id: envId } = JSON.parse((await call(bench, 'POST', '/register-env', environment)).text) as {
      env_id: number;
    };
    const [a, b, c, d, e] = Array.from({ length: 5 }, (_, index) => `${GROUP_ID.slice(0, -1)}${index}`);
    const push = async (key: string, ids: (string | undefined)[]): Promise<unknown> => {
      const rowLengths = new Uint32Array(ids.length).fill(2);
      const values = new Int32Array(ids.length * 2).fill(7);
      const bytes = encodeGroup({
        header: { env_id: envId, rollout_ids: ids.map(String) },
        ...{ tokens: { values, rowLengths }, masks: { values, rowLengths } },
        scores: Float64Array.from(ids, (id) => (id === a ? 1 : 0)),
      });
      const headers = { 'content-type': PACKED_GROUP_CONTENT_TYPE, 'idempotency-key': key };
      return JSON.parse((await call(bench, 'POST', '/v1/groups', bytes, headers)).text);
    };
    expect(await push('five', [a, b, c, d, e])).toMatchObject({
      status: 'quarantined',
      reason: 'larger-than-group-size: 5 rollouts where the environment registered 4',
    });
    expect(await push('split', [a, a, a, b, c, c, d])).toMatchObject({ status: 'queued' });
    const batch = JSON.parse((await call(bench, 'POST', '/v1/batches', {})).text) as unknown;
    expect(batch).toMatchObject({ batch: { groups: [{ sequence_count: 4, token_count: 14 }] } });
  });

  it('leases a batch for as long as it is set to, unless the caller says, and tells how long that is', async () => {
    await using bench = await createApiBench({ batchLeaseSeconds: 7 });
    await call(bench, 'PUT', '/v1/registration', { batch_size: 2 });
    await call(bench, 'POST', '/v1/batches', {});
    await pushPacked(bench, 'k', 0);
    const { batch } = JSON.parse((await call(bench, 'POST', '/v1/batches', {})).text) as {
      batch: { batch_id: string; epoch: number; lease_seconds: number };
    };
    expect(batch.lease_seconds).toBe(7);
    const renew = async (body: object): Promise<unknown> =>
      JSON.parse((await call(bench, 'POST', `/v1/batches/${batch.batch_id}/renew`, { epoch: 1, ...body })).text);
    expect(await renew({ lease_seconds: 30 })).toMatchObject({ status: 'leased', lease_seconds: 30 });
    const asked = await bench.store.now();
    expect(await renew({})).toMatchObject({ status: 'leased', lease_seconds: 7 });
    const row = await bench.store.db.selectFrom('open_batches').select('lease_expires_at').executeTakeFirstOrThrow();
    // SQLite's clock is a fraction of a day; the last millisecond of it is rounded.
    expect(row.lease_expires_at).toBeGreaterThan(asked + 6_990);
    expect(row.lease_expires_at).toBeLessThan(asked + 30_000);
  });

  it.each(['zzz', 'a%00b', 'a&cursor=b'])('refuses the cursor %s', async (cursor) => {
    await using bench = await createApiBench();
    expect((await call(bench, 'GET', `/v1/quarantine?cursor=${cursor}`)).status).toBe(422);
  });

  it.each(['x', GROUP_ID])('fences the acknowledgement of batch %s, which nobody holds', async (batch) => {
    await using bench = await createApiBench();
    expect((await call(bench, 'POST', `/v1/batches/${batch}/ack`, { epoch: 1 })).status).toBe(409);
  });
});

describe('the Atropos API', () => {
  it('tells callers of another station where it is', async () => {
    await using bench = await createApiBench();
    const { status, text } = await call(bench, 'POST', '/v1/chat/completions', {});
    expect(status).toBe(404);
    expect(text).toContain('port 8001');
    expect((await call(bench, 'GET', '/runs/x')).text).toContain('port 8080');
  });

  it('says that the latest example is gone when its payload is', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lachesis-latest-'));
    await using bench = await createApiBench({ home });
    expect((await call(bench, 'POST', '/scored_data', group)).status).toBe(200);
    expect(JSON.parse((await call(bench, 'GET', '/latest_example')).text)).toMatchObject({ scores: [0.5, 1] });
    await rm(join(home, 'blobs'), { recursive: true });
    expect((await call(bench, 'GET', '/latest_example')).status).toBe(410);
  });
});
