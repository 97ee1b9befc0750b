import { PACKED_GROUP_CONTENT_TYPE } from '@lachesis/protocol';
import { encodeGroup } from '@lachesis/protocol/codec';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createApiBench, type ApiBench } from './bench.fixture.ts';

const GROUP_SIZE = 4;
const AHEAD = 2;

async function call(bench: ApiBench, method: 'GET' | 'POST', url: string, body?: unknown, headers = {}) {
  const payload = body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body);
  const reply = await bench.api.app.inject({
    ...{ method, url, headers: { host: 'localhost', 'content-type': 'application/json', ...headers } },
    ...(body === undefined ? {} : { payload }),
  });
  return { status: reply.statusCode, json: JSON.parse(reply.body) as Record<string, unknown> };
}

async function register(bench: ApiBench, name: string, weight: number): Promise<number> {
  const body = { max_token_length: 64, desired_name: name, weight, group_size: GROUP_SIZE };
  return (await call(bench, 'POST', '/register-env', body)).json['env_id'] as number;
}

/** As our own environments send: held back by the server alone. */
async function pushNative(bench: ApiBench, envId: number, key: string): Promise<boolean> {
  const rowLengths = new Uint32Array(GROUP_SIZE).fill(2);
  const values = new Int32Array(GROUP_SIZE * 2).fill(envId + 1);
  const bytes = encodeGroup({
    header: { env_id: envId },
    ...{ tokens: { values, rowLengths }, masks: { values, rowLengths } },
    scores: Float64Array.of(0, 1, 0, 1),
  });
  const headers = { 'content-type': PACKED_GROUP_CONTENT_TYPE, 'idempotency-key': key };
  return (await call(bench, 'POST', '/v1/groups', bytes, headers)).status === 200;
}

/** As environments of Atropos send: they look at how many groups wait first. */
async function pushAtropos(bench: ApiBench, envId: number, batchSize: number): Promise<boolean> {
  const { json } = await call(bench, 'GET', '/status-env', { env_id: envId });
  if ((AHEAD * batchSize) / GROUP_SIZE - (json['queue_size'] as number) < 1) return false;
  const tokens = Array.from({ length: GROUP_SIZE }, () => [envId + 1, envId + 1]);
  const group = { tokens, masks: tokens, scores: [0, 1, 0, 1], env_id: envId };
  await call(bench, 'POST', '/scored_data', group);
  return true;
}

async function trainMixed(batchSize: number, weights: readonly [number, number], batches: number) {
  await using bench = await createApiBench({ maxStaleness: AHEAD });
  const trainer = {
    ...{ wandb_group: 'g', wandb_project: 'p', batch_size: batchSize, max_token_len: 64, checkpoint_dir: '' },
    ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: batches },
  };
  await call(bench, 'POST', '/register', trainer);
  await call(bench, 'GET', '/batch');
  const ids = [await register(bench, 'native', weights[0]), await register(bench, 'atropos', weights[1])] as const;
  let isOver = false;
  let sent = 0;
  const push = async (send: () => Promise<boolean>): Promise<void> => {
    while (!isOver) if (!(await send())) await sleep(1);
  };
  const pushing = [
    push(() => pushNative(bench, ids[0], String((sent += 1)))),
    push(() => pushAtropos(bench, ids[1], batchSize)),
  ];
  const trained = new Map<number, number>();
  let waits = 0;
  for (let taken = 0; taken < batches && waits < 5_000;) {
    const { json } = await call(bench, 'GET', '/batch');
    const batch = json['batch'] as { tokens: number[][] }[] | null;
    if (batch === null) {
      waits += 1;
      await sleep(1);
      continue;
    }
    taken += 1;
    for (const { tokens } of batch) {
      const envId = (tokens[0]?.[0] ?? 0) - 1;
      trained.set(envId, (trained.get(envId) ?? 0) + tokens.length);
    }
  }
  isOver = true;
  await Promise.all(pushing);
  const [left, right] = [trained.get(ids[0]) ?? 0, trained.get(ids[1]) ?? 0];
  expect(left + right).toBe(batches * batchSize);
  return left / (left + right);
}

test.each([
  [8, [3, 1], 0.75],
  [8, [1, 3], 0.25],
  [16, [1, 4], 0.2],
] as const)(
  'batches of %i with weights %j train a share of %f, whoever pushes faster and on whichever wire',
  async (batchSize, weights, share) => {
    expect(Math.abs((await trainMixed(batchSize, weights, 40)) - share)).toBeLessThan(0.05 * share);
  },
  60_000,
);

test('an environment that has left is not waited for, and one that comes again has its share', async () => {
  await using bench = await createApiBench({ maxStaleness: AHEAD });
  const trainer = {
    ...{ wandb_group: 'g', wandb_project: 'p', batch_size: 8, max_token_len: 64, checkpoint_dir: '' },
    ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: 10 },
  };
  await call(bench, 'POST', '/register', trainer);
  await call(bench, 'GET', '/batch');
  const first = await register(bench, 'a', 3);
  const other = await register(bench, 'b', 1);
  const take = async () => (await call(bench, 'GET', '/batch')).json['batch'] as unknown[] | null;
  await pushNative(bench, other, 'b1');
  await pushNative(bench, other, 'b2');
  // The one with the greater weight is waited for …
  expect(await take()).toBeNull();
  expect((await call(bench, 'GET', '/status-env', { env_id: other })).json['batch_share']).toBe(0.25);
  // Our own environments ask by a query: without an answer each would wait for what others have sent.
  expect((await call(bench, 'GET', `/status-env?env_id=${other}`)).json['batch_share']).toBe(0.25);
  expect((await call(bench, 'GET', '/status-env?env_id=x')).status).toBe(422);
  await call(bench, 'POST', '/disconnect-env', { env_id: first });
  // … and no longer when it has left.
  expect(await take()).toHaveLength(2);
  expect((await call(bench, 'GET', '/status-env', { env_id: other })).json).not.toHaveProperty('batch_share');
  // Started again it is the same environment: both of its ids give to one share.
  const again = await register(bench, 'a', 3);
  await pushNative(bench, again, 'a1');
  await pushNative(bench, other, 'b3');
  // What was trained without it is made up for.
  expect(await take()).toBeNull();
  await pushNative(bench, first, 'a2');
  expect(await take()).toHaveLength(2);
  await pushNative(bench, again, 'a3');
  await pushNative(bench, first, 'a4');
  expect(await take()).toHaveLength(2);
});

test.each([
  [2, [12, 5]],
  [50, [12, 53]],
] as const)(
  'an environment that comes %i batches after the other makes up for four of them at most',
  async (late, [first, other]) => {
    await using bench = await createApiBench({ maxStaleness: 100 });
    const trainer = {
      ...{ wandb_group: 'g', wandb_project: 'p', batch_size: 4, max_token_len: 64, checkpoint_dir: '' },
      ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: 100 },
    };
    await call(bench, 'POST', '/register', trainer);
    await call(bench, 'GET', '/batch');
    const early = await register(bench, 'early', 1);
    const trained = new Map<number, number>();
    const take = async (): Promise<boolean> => {
      const batch = (await call(bench, 'GET', '/batch')).json['batch'] as { tokens: number[][] }[] | null;
      for (const { tokens } of batch ?? []) {
        const envId = (tokens[0]?.[0] ?? 0) - 1;
        trained.set(envId, (trained.get(envId) ?? 0) + 1);
      }
      return batch !== null;
    };
    for (let index = 0; index < late; index += 1) {
      await pushNative(bench, early, `early ${index}`);
      expect(await take()).toBe(true);
    }
    const slow = await register(bench, 'slow', 3);
    for (let index = 0; index < 12; index += 1) {
      await pushNative(bench, slow, `slow ${index}`);
      await pushNative(bench, early, `later ${index}`);
    }
    while ((trained.get(slow) ?? 0) < first) expect(await take()).toBe(true);
    expect([trained.get(slow), trained.get(early)]).toEqual([first, other]);
  },
);

test('to the letter of the original, weights change no batch', async () => {
  await using bench = await createApiBench({ strictAtropos: true });
  const trainer = {
    ...{ wandb_group: 'g', wandb_project: 'p', batch_size: 8, max_token_len: 64, checkpoint_dir: '' },
    ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: 10 },
  };
  await call(bench, 'POST', '/register', trainer);
  await call(bench, 'GET', '/batch');
  await register(bench, 'a', 3);
  const other = await register(bench, 'b', 1);
  await pushNative(bench, other, 'b1');
  await pushNative(bench, other, 'b2');
  expect((await call(bench, 'GET', '/batch')).json['batch']).toHaveLength(2);
  expect((await call(bench, 'GET', '/status-env', { env_id: other })).json).not.toHaveProperty('batch_share');
});
