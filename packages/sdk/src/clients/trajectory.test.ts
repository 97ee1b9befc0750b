import { type Clock, type LeasedBatch, MASKED } from '@lachesis/protocol';
import { encodeFramePrefix, decodeGroup, type EncodableGroup, encodeGroup } from '@lachesis/protocol/codec';
import { expect, test } from 'vitest';

import { createTrajectoryClient } from './trajectory.ts';

const GROUP: EncodableGroup = {
  header: {},
  tokens: { values: Int32Array.of(5, 6, 7, 8), rowLengths: Uint32Array.of(4) },
  masks: { values: Int32Array.of(MASKED, MASKED, 7, 8), rowLengths: Uint32Array.of(4) },
  scores: Float64Array.of(0),
};
const RECEIPT = {
  group_id: '018bcfe5-6800-77ff-bfff-ffffffffffff',
  status: 'queued',
  replayed: false,
  durability: 'local',
};
const ENVIRONMENT = { name: 'toy', groupSize: 4, maxTokenLength: 64 };

function kit(answers: ((url: string, init: RequestInit) => Response)[]) {
  const calls: { url: string; init: RequestInit }[] = [];
  const send = (async (url: string, init: RequestInit) => {
    calls.push({ url, init });
    const answer = answers.shift();
    if (answer === undefined) throw new Error('no answer was prepared');
    return answer(url, init);
  }) as typeof fetch;
  let now = 0;
  const clock: Clock = { now: () => now, sleep: async (ms) => void (now += ms) };
  const client = createTrajectoryClient({ url: 'http://api/run/a', fetch: send, clock, random: () => 0 });
  return { client, calls };
}

test('pushes a packed group, and the same bytes and key again after back-pressure', async () => {
  const busy = () =>
    Response.json(
      { error: { code: 'back-pressure', message: 'full' } },
      { status: 429, headers: { 'retry-after': '1' } },
    );
  const { client, calls } = kit([busy, () => Response.json(RECEIPT)]);
  expect(await client.pushGroup(GROUP, { idempotencyKey: 'k' })).toMatchObject({ status: 'queued' });
  expect(calls.map(({ url }) => url)).toEqual(['http://api/run/a/v1/groups', 'http://api/run/a/v1/groups']);
  expect(calls[0]!.init.body).toBe(calls[1]!.init.body);
  expect(calls[1]!.init.headers).toMatchObject({ 'idempotency-key': 'k' });
  expect(decodeGroup(calls[0]!.init.body as Uint8Array).scores).toEqual(Float32Array.of(0));
});

test('an environment waits until a trainer has started', async () => {
  const wait = () => Response.json({ status: 'wait for trainer to start' });
  const success = {
    status: 'success',
    env_id: 0,
    wandb_name: 'toy_0',
    checkpoint_dir: '',
    starting_step: 3,
    checkpoint_interval: 25,
    num_steps: 40,
  };
  const { client } = kit([wait, wait, () => Response.json(success)]);
  let told = 0;
  const registered = await client.registerEnvironment(ENVIRONMENT, { onWaiting: () => (told += 1) });
  expect([registered.env_id, registered.starting_step, told]).toEqual([0, 3, 1]);

  const impatient = kit([wait, wait]);
  await expect(impatient.client.registerEnvironment(ENVIRONMENT, { waitMs: 700 })).rejects.toMatchObject({
    retryable: true,
    hint: expect.stringContaining('lachesis serve trainer'),
  });
});

test('a server that wants the env_id in the body of a GET is asked for what all see', async () => {
  const { client } = kit([
    () => Response.json({ detail: 'Field required' }, { status: 422 }),
    () => Response.json({ current_step: 4, queue_size: 9 }),
  ]);
  expect(await client.environmentStatus(0)).toMatchObject({ current_step: 4, queue_size: 9, self_queue_size: 9 });
});

test('hands over the groups of a batch, and refuses a reply that lacks some', async () => {
  const group = {
    group_id: RECEIPT.group_id,
    digest: '0'.repeat(64),
    bytes: 1,
    sequence_count: 1,
    token_count: 4,
    env_id: 0,
  };
  const batch: LeasedBatch = {
    batch_id: RECEIPT.group_id,
    epoch: 2,
    attempt: 1,
    lease_seconds: 60,
    step: 0,
    groups: [group, group],
  };
  const packed = encodeGroup(GROUP);
  const frame = (count: number): Buffer =>
    Buffer.concat(Array.from({ length: count }, () => [encodeFramePrefix(packed.length), packed]).flat());
  const { client, calls } = kit([() => new Response(frame(2)), () => new Response(frame(1))]);
  const groups = await client.fetchBatchGroups(batch);
  expect(groups.map(({ tokens }) => [...tokens.values])).toEqual([
    [5, 6, 7, 8],
    [5, 6, 7, 8],
  ]);
  expect(calls[0]!.url).toContain(`/v1/batches/${batch.batch_id}/groups?epoch=2`);
  await expect(client.fetchBatchGroups(batch)).rejects.toMatchObject({ code: 'unreadable-reply', retryable: true });
});

test('leaves the time of a lease to the server, unless it is told one', async () => {
  const none = () => Response.json({ batch: null });
  const { client, calls } = kit([none, none]);
  await client.leaseBatch({ waitSeconds: 0 });
  await client.leaseBatch({ waitSeconds: 0, leaseSeconds: 5 });
  expect(calls.map(({ init }) => JSON.parse(init.body as string) as unknown)).toEqual([
    { wait_seconds: 0, consumer: '' },
    { wait_seconds: 0, consumer: '', lease_seconds: 5 },
  ]);
});

test('settles a batch under its epoch', async () => {
  const settled = (status: string) => () =>
    Response.json({ batch_id: RECEIPT.group_id, epoch: 2, status, replayed: false });
  const { client, calls } = kit([settled('leased'), settled('trained'), settled('returned')]);
  const held = { batch_id: RECEIPT.group_id, epoch: 2 };
  await client.renew(held, { leaseSeconds: 30 });
  await client.ack(held, { step: 0, policy_version: 1 });
  await client.nack(held, { reason: 'broken' });
  expect(calls.map(({ init }) => JSON.parse(init.body as string) as unknown)).toEqual([
    { epoch: 2, lease_seconds: 30 },
    { epoch: 2, step: 0, policy_version: 1 },
    { epoch: 2, reason: 'broken' },
  ]);
});
