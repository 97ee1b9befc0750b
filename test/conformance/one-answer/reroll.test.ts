import {
  rerollSchemas,
  type Feedback,
  type Lineage,
  type PreferenceRecord,
  type TrajectoryDetail,
} from '@lachesis/protocol';
import { readControlSettings } from '@lachesis/server';
import { createLog } from '@lachesis/server/processes';
import { openHome, promoteModel, registerModel } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildControl } from '../../../packages/server/src/control/build.ts';
import { makeCall } from '../../../packages/server/src/control/bench.fixture.ts';
import { writeByteModel } from '../../../packages/server/src/services/models/byte-model.fixture.ts';
import { FakeServer } from '../../../packages/tinker/src/testing/fake-server.fixture.ts';

const home = await mkdtemp(join(tmpdir(), 'lachesis-reroll-'));
let engine: FakeServer;
let base: Awaited<ReturnType<typeof writeByteModel>>;
let control: Awaited<ReturnType<typeof buildControl>>;
/** What the engine was asked with. */
const prompts: number[][] = [];

// The engine counts on from the last token; the seventh is the one that ends a turn, 257.
const PREFIX = [258, 65, 66, 250];
const WHOLE = 7;
const PROMPT = 'What is two and two?';

/** A turn whose reply was sampled from `PREFIX` by this model. */
const sampled = (trajectory: string, model: string, more: object = {}) => ({
  ...makeCall({ trajectory, model, tags: ['shop'], user: 'ada', consent: 'train' }),
  replies: [
    {
      ...{ message: { role: 'assistant' as const, content: 'Four.' }, finish_reason: 'stop', tokens_missing: null },
      tokens: { prompt_token_ids: PREFIX, token_ids: [70, 257], logprobs: [-1, -1], policy_version: 3 },
      ...more,
    },
  ],
});

async function call(method: 'DELETE' | 'GET' | 'POST', url: string, body?: unknown) {
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const reply = await control.app.inject({ method, url, headers, ...payload });
  return { status: reply.statusCode, text: reply.body };
}

const read = async <T>(url: string): Promise<T> => JSON.parse((await call('GET', url)).text) as T;

type Rerolled = Extract<ReturnType<typeof rerollSchemas.line.parse>, { rerolled: unknown }>['rerolled'];

interface Answer extends Partial<Rerolled> {
  status: number;
  /** Before the first line. */
  refused?: string;
  /** As the last line. */
  failed?: string | undefined;
}

async function reroll(trajectory: string, body: object = { max_tokens: WHOLE }): Promise<Answer> {
  const { status, text } = await call('POST', `/v1/trajectories/${trajectory}/turns/0/reroll`, body);
  if (status !== 200) return { status, refused: (JSON.parse(text) as { error: { message: string } }).error.message };
  const lines = text
    .trim()
    .split('\n')
    .map((line) => rerollSchemas.line.parse(JSON.parse(line)));
  const failed = lines.flatMap((line) => ('failed' in line ? [line.failed.message] : []))[0];
  return { status, failed, ...lines.flatMap((line) => ('rerolled' in line ? [line.rerolled] : []))[0] };
}

beforeAll(async () => {
  base = await writeByteModel();
  engine = await FakeServer.start({ models: [{ model_name: base.directory }] });
  engine.models.set('m', {
    ...{ id: 'm', sessionId: 's', weight: 0, gradient: 0, sequences: 0, nextSeqId: 1, failedSeqId: undefined },
    ...{
      applied: [],
      loadedSampler: undefined,
      checkpoints: new Map([
        ['sampler_weights/5', 0.1],
        ['sampler_weights/9', 0.4],
      ]),
    },
  });
  engine.fault = ({ path, body }) => {
    const { prompt } = body as { prompt?: { chunks: { tokens: number[] }[] } };
    if (path === 'asample') prompts.push(prompt?.chunks.flatMap(({ tokens }) => tokens) ?? []);
    return undefined;
  };
  const { store } = await openHome({ home });
  const common = { store, tenantId: 'local', name: 'support', method: 'sft' as const, run: 'r' };
  await registerModel({ ...common, baseModel: base.directory, step: 5, weightsPath: 'tinker://m/sampler_weights/5' });
  await registerModel({ ...common, baseModel: base.directory, step: 9, weightsPath: 'tinker://m/sampler_weights/9' });
  await promoteModel({ ...common, version: 2, by: 'ada', reason: 'better' });
  await store.close();
  const { values: settings } = readControlSettings({ home, host: '127.0.0.1' }, {});
  const log = createLog({ name: 'control', level: 'fatal' });
  control = await buildControl({ settings, log, env: { TINKER_BASE_URL: engine.url } });
  const none = { tokens: null, tokens_missing: 'backend-returns-none' };
  const cut = { tokens: { prompt_token_ids: null, token_ids: [70], logprobs: [-1], policy_version: null } };
  const records = [
    sampled('by-support', 'support@1'),
    sampled('by-base', base.directory),
    sampled('by-another', 'other/model'),
    sampled('as-text', 'support@1', none),
    sampled('no-prompt', 'support@1', cut),
  ];
  await call('POST', '/v1/records', { records });
});

afterAll(async () => {
  await control.close();
  await engine.close();
  await base.remove();
  await rm(home, { recursive: true, force: true });
});

test('another reply is sampled from the exact tokens, by what the name serves now, and recorded with what was allowed', async () => {
  const told = await read<TrajectoryDetail>('/v1/trajectories/by-support');
  const made = await reroll('by-support');
  expect(made).toMatchObject({ model: 'support@2', turn_index: 0, prompt_tokens: PREFIX.length, tokens: WHOLE });
  expect(prompts.at(-1)).toEqual(PREFIX);
  const again = await read<TrajectoryDetail>(`/v1/trajectories/${made.trajectory_id}`);
  const lineage = await read<Lineage>(`/lineage/trajectory:${told.summary.trajectory_id}`);
  expect(lineage.forward.arrows).toContainEqual({
    from: { kind: 'trajectory', id: told.summary.trajectory_id },
    to: { kind: 'trajectory', id: made.trajectory_id },
    relation: 'rerolled-as',
  });
  expect(again.summary).toMatchObject({
    ...{ key: `reroll:${told.summary.trajectory_id}`, source: 'reroll', model: 'support@2' },
    ...{ user: 'ada', tags: ['shop'], consent: 'train', split: 'train' },
  });
  expect(again.turns[0]).toMatchObject({
    messages: [{ role: 'user', content: PROMPT }],
    replies: [{ tokens: { prompt_token_ids: PREFIX, token_ids: [251, 252, 253, 254, 255, 256, 257] } }],
    metadata: { rerolled: { trajectory_id: told.summary.trajectory_id, turn_index: 0 } },
  });
  // What was there is as it was; another one is a turn beside the first.
  expect(await read('/v1/trajectories/by-support')).toEqual(told);
  expect(await reroll('by-support')).toMatchObject({ trajectory_id: made.trajectory_id, turn_index: 1 });
});

test('a base model goes on from its own tokens and from nobody else’s', async () => {
  expect(await reroll('by-base')).toMatchObject({ model: base.directory, tokens: WHOLE });
  const { failed } = await reroll('by-another');
  expect(failed).toBe(`the tokens are of other/model, and the engine of this server has ${base.directory}`);
});

test('without tokens, without those of the prompt, and cut off: each says so', async () => {
  expect(await reroll('as-text')).toEqual({
    ...{ status: 404, refused: 'reply 0 of turn 0 was recorded without tokens (backend-returns-none)' },
  });
  expect((await reroll('no-prompt')).refused).toMatch(/was recorded without the tokens of its prompt$/);
  const { failed } = await reroll('by-support', { max_tokens: 3 });
  expect(failed).toBe('of 4 new replies none makes a pair: 4 did not end within 3 tokens or could not be read');
});

test('beside a reply that was cut off stands one that was cut off at the same length', async () => {
  const asked = { ...sampled('cut', base.directory, { finish_reason: 'length' }), sampling: { max_tokens: 2 } };
  await call('POST', '/v1/records', { records: [asked] });
  const made = await reroll('cut', {});
  expect(made.tokens).toBe(2);
  const { turns } = await read<TrajectoryDetail>(`/v1/trajectories/${made.trajectory_id}`);
  expect(turns[0]?.replies[0]?.finish_reason).toBe('length');
  // Who says how long it may be wants one that ends.
  expect((await reroll('cut', { max_tokens: 2 })).failed).toMatch(/^of 4 new replies none makes a pair/);
});

test('a choice of the new reply is a pair of the next data set, with the tokens of both, and is forgotten with the first', async () => {
  const { summary } = await read<TrajectoryDetail>('/v1/trajectories/by-support');
  const made = await reroll('by-support');
  const over = { trajectory_id: summary.trajectory_id, turn_index: 0 };
  const { trajectory_id, turn_index } = made as { trajectory_id: string; turn_index: number };
  const choice = { kind: 'choice', author: 'ada', author_kind: 'person', trajectory_id, turn_index, over };
  const said = JSON.parse((await call('POST', '/v1/feedback', choice)).text) as Feedback;
  // As `improve` asks: what was recorded of this name.
  for (const [name, filter] of [
    ['pairs', {}],
    ['own', { model: 'support@2' }],
  ] as const) {
    await call('POST', `/v1/datasets/${name}/make`, { kind: 'preference', filter });
    const row = JSON.parse((await call('GET', `/v1/datasets/${name}/rows`)).text) as PreferenceRecord;
    expect(row).toMatchObject({
      ...{ feedback_ids: [said.feedback_id], prompt: [{ role: 'user', content: PROMPT }] },
      ...{ rejected: [{ content: 'Four.' }], consent: 'train' },
      extra: {
        lachesis: {
          tokens: {
            chosen: { token_ids: [...PREFIX, 251, 252, 253, 254, 255, 256, 257] },
            rejected: { token_ids: [...PREFIX, 70, 257], mask: [0, 0, 0, 0, 1, 1] },
          },
        },
      },
    });
  }
  // Nobody had that conversation: as one of those it is left out.
  const talks = await call('POST', '/v1/datasets/talks/make', {});
  expect(JSON.parse(talks.text)).toMatchObject({
    dataset: { row_count: 6 },
    dropped: [{ reason: expect.stringContaining('a re-roll made it') as string }],
  });
  expect((await call('DELETE', '/v1/trajectories/by-support')).status).toBe(200);
  expect((await call('GET', `/v1/trajectories/${trajectory_id}`)).status).toBe(404);
});

test('a server without an engine says how to start one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-reroll-none-'));
  const { values: settings } = readControlSettings({ home: folder, host: '127.0.0.1' }, {});
  const whole = control;
  control = await buildControl({ settings, log: createLog({ name: 'control', level: 'fatal' }), env: {} });
  try {
    await call('POST', '/v1/records', { records: [sampled('alone', 'tiny')] });
    const { status, refused } = await reroll('alone');
    expect([status, refused]).toEqual([409, expect.stringContaining('engine')]);
  } finally {
    await control.close();
    control = whole;
    await rm(folder, { recursive: true, force: true });
  }
});
