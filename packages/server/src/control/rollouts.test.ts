import {
  decodeFrames,
  GROUP_FRAMES_CONTENT_TYPE,
  MASKED,
  PACKED_GROUP_CONTENT_TYPE,
  rolloutSchemas,
} from '@lachesis/protocol';
import { decodeGroup, type EncodableGroup } from '@lachesis/protocol/codec';
import { openHome } from '@lachesis/store';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makeTrainedRun } from '../services/runs/rollouts/trained-run.fixture.ts';
import { createControlBench, makeToken } from './bench.fixture.ts';

const RUN = 'rl-test';
const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Two replies to one prompt; the second is right. The item has a name in odd steps alone. */
function makeGroup(step: number): EncodableGroup {
  const rowLengths = Uint32Array.of(3, 4);
  const word = 100 + step;
  return {
    header: { environment: 'toy', ...(step % 2 === 1 ? { item: 'train-"7"%' } : {}) },
    tokens: { values: Int32Array.of(7, word, 8, 7, word, 9, 9), rowLengths },
    masks: { values: Int32Array.of(MASKED, word, 8, MASKED, word, 9, 9), rowLengths },
    scores: Float64Array.of(0, 1),
    inferenceLogprobs: { values: Float32Array.of(1, -1, -1, 1, -1, -1, -2), rowLengths },
    policyRanges: Uint32Array.of(0, 1, 3, step - 1, 1, 1, 4, step - 1),
    json: {
      messages: text([
        [
          { role: 'user', content: 'seven?' },
          { role: 'assistant', content: `no ${step}` },
        ],
        [],
      ]),
    },
  };
}

async function trainRun(options: { steps: number; tinker?: object }): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-rollouts-'));
  await makeTrainedRun({ ...options, home, run: RUN, groupsOf: (step) => [makeGroup(step)] });
  return home;
}

const openControl = (home: string) => createControlBench({ home }, undefined, { runs: { isSupervising: false } });

test('tells of every step what it was trained on: rewards, advantages, versions, tokens, log probabilities', async () => {
  await using bench = await openControl(await trainRun({ steps: 3 }));
  const list = rolloutSchemas.list.parse((await bench.call('GET', `/runs/${RUN}/steps`)).json);
  expect(list.steps.map(({ step }) => step)).toEqual([3, 2, 1]);
  expect(list).toMatchObject({ run_id: RUN, next: null });
  expect(list.steps[1]).toMatchObject({
    ...{ step: 2, state: 'done', policy_version: 1, groups: 1, rollouts: 2, trained_tokens: 5 },
    ...{ mean_reward: 0.5, lowest_reward: 0, highest_reward: 1, is_kept: true, has_trainer_logprobs: true },
  });
  expect(list.steps[1]?.bytes).toBeGreaterThan(100);
  const first = (await bench.call('GET', `/runs/${RUN}/steps?limit=1`)).json;
  expect(first).toMatchObject({ steps: [{ step: 3, has_trainer_logprobs: false }], next: 3 });

  const page = rolloutSchemas.page.parse((await bench.call('GET', `/runs/${RUN}/steps/2`)).json);
  expect(page.groups).toMatchObject([
    {
      ...{ index: 0, environment: 'toy', scores: [0, 1], advantages: [-0.5, 0.5], lengths: [3, 4], rollouts: [0, 1] },
      ...{ trained_tokens: [2, 3], oldest_policy: [1, 1], newest_policy: [1, 1], left_out: [null, null] },
    },
  ]);
  expect(page.groups[0]?.item).toMatch(/^prompt-[0-9a-f]{12}$/);
  const id = page.groups[0]?.group_id ?? '';
  const group = rolloutSchemas.group.parse((await bench.call('GET', `/runs/${RUN}/groups/${id}`)).json);
  expect(group).toMatchObject({ run_id: RUN, group_id: id, step: 2, policy_version: 1, environment: 'toy' });
  expect(group.sequences[0]).toMatchObject({
    ...{ score: 0, advantage: -0.5, tokens: [7, 102, 8], mask: [0, 1, 1], logprobs: [1, -1, -1] },
    ...{ policy_versions: [[1, 3, 1]], text: null, pieces: null, token_advantages: null },
    messages: [{ role: 'user' }, { role: 'assistant', content: 'no 2' }],
  });
  expect(group.sequences[0]?.trainer_logprobs).toHaveLength(2);
  expect(group.sequences[1]?.messages).toBeNull();
  const plain = (await bench.call('GET', `/runs/${RUN}/groups/${id}?tokens=false`)).text;
  expect(plain).not.toContain('"tokens"');
  expect(plain).toContain('no 2');
});

test('finds the steps of an item, whatever letters its name has', async () => {
  await using bench = await openControl(await trainRun({ steps: 3 }));
  const stepsOf = async (item: string) =>
    (
      (await bench.call('GET', `/runs/${RUN}/steps?item=${encodeURIComponent(item)}`)).json as {
        steps: { step: number }[];
      }
    ).steps;
  expect((await stepsOf('train-"7"%')).map(({ step }) => step)).toEqual([3, 1]);
  expect(await stepsOf('train-%')).toEqual([]);
});

test('sends the same packed, and JSON compressed, to those who take it', async () => {
  await using bench = await openControl(await trainRun({ steps: 1 }));
  const get = (url: string, headers: Record<string, string>) =>
    bench.control.app.inject({ method: 'GET', url, headers: { host: 'localhost', ...headers } });
  const packed = await get(`/runs/${RUN}/steps/1`, { accept: GROUP_FRAMES_CONTENT_TYPE });
  const [frame] = decodeFrames(new Uint8Array(packed.rawPayload));
  expect(decodeGroup(frame!).scores).toEqual(Float32Array.of(0, 1));
  const { groups } = (await bench.call('GET', `/runs/${RUN}/steps/1`)).json as { groups: { group_id: string }[] };
  const url = `/runs/${RUN}/groups/${groups[0]?.group_id}`;
  const one = await get(url, { accept: PACKED_GROUP_CONTENT_TYPE });
  expect(new Uint8Array(one.rawPayload)).toEqual(frame);
  const small = await get(url, { 'accept-encoding': 'gzip' });
  const body = small.headers['content-encoding'] === 'gzip' ? gunzipSync(small.rawPayload).toString() : small.body;
  expect(rolloutSchemas.group.parse(JSON.parse(body)).sequences).toHaveLength(2);
});

test('lets go of the oldest steps for good: their bytes are gone, their rewards stay', async () => {
  const home = await trainRun({ steps: 3, tinker: { rollout_retention_steps: 1 } });
  await using bench = await openControl(home);
  const { steps } = (await bench.call('GET', `/runs/${RUN}/steps`)).json as { steps: unknown[] };
  expect(steps).toMatchObject([
    { step: 3, is_kept: true, mean_reward: 0.5 },
    { step: 2, is_kept: false, mean_reward: 0.5, bytes: 0, has_trainer_logprobs: false },
    { step: 1, is_kept: false },
  ]);
  const gone = await bench.call('GET', `/runs/${RUN}/steps/2`);
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('rollout_retention_steps')]);
  await using opened = await openHome({ home });
  const digests: string[] = [];
  for await (const { digest } of opened.blobs.list()) digests.push(digest);
  // The payload and the report of the step that is kept.
  expect(digests).toHaveLength(2);
  expect((await bench.call('GET', `/runs/${RUN}/steps/3`)).status).toBe(200);
});

test('a bound in bytes lets go of what is over it, and never of the newest step', async () => {
  await using bench = await openControl(await trainRun({ steps: 2, tinker: { rollout_retention_gb: 1e-9 } }));
  const { steps } = (await bench.call('GET', `/runs/${RUN}/steps`)).json as { steps: unknown[] };
  expect(steps).toMatchObject([
    { step: 2, is_kept: true },
    { step: 1, is_kept: false },
  ]);
});

test('what is not there is said with what is, and another tenant sees nothing', async () => {
  await using bench = await openControl(await trainRun({ steps: 1 }));
  for (const [path, status, words] of [
    ['/steps/9', 404, 'has no step 9'],
    ['/steps/last', 422, 'is not the number of a step'],
    ['/groups/0192aaaa-0000-7000-8000-000000000000', 404, 'has no group'],
  ] as const) {
    const reply = await bench.call('GET', `/runs/${RUN}${path}`);
    expect([path, reply.status, reply.text]).toEqual([path, status, expect.stringContaining(words)]);
  }
  const token = await makeToken(bench.store, 'other', ['view']);
  expect((await bench.call('GET', `/runs/${RUN}/steps`, { token })).status).toBe(404);
});
