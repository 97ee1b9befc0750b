import { createIdSource, improvePlanSchema, type CallRecord } from '@lachesis/protocol';
import { summariseDifferences } from '@lachesis/sdk/environment';
import { beginImprovement, improveModel } from '@lachesis/server/processes';
import {
  findDataset,
  findPromoted,
  listDatasets,
  listModels,
  openHome,
  promoteModel,
  readDatasetRows,
  recordCaptures,
  registerModel,
  writeFeedback,
  type CollectableBlobs,
  type Store,
} from '@lachesis/store';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRaters } from './raters.ts';
import { runImprove } from './run.ts';
import { openIngestParts } from '../../flags/library/drain-home.ts';
import { createLocalLibrary } from '@lachesis/server/services';

type ImproveOptions = Parameters<typeof improveModel>[0];

const tenantId = 'local';
const PROMPTS = 40;

interface Home extends AsyncDisposable {
  store: Store;
  blobs: CollectableBlobs;
  home: string;
}

async function openTestHome(): Promise<Home> {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-improve-'));
  const { store, blobs } = await openHome({ home });
  return {
    store,
    blobs,
    home,
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Both replies to each prompt; the polite one is liked. */
async function recordLibrary({ store, blobs }: Home, { isRated = true } = {}): Promise<void> {
  const ids = createIdSource();
  const calls: { call: CallRecord; isUp: boolean }[] = [];
  for (let prompt = 0; prompt < PROMPTS; prompt += 1) {
    for (const reply of ['yes please', 'no']) {
      const call: CallRecord = {
        ...{ record_id: ids.next(), recorder: 'test', sequence: calls.length, trajectory: ids.next(), at: 1_000 },
        ...{ user: null, tags: [], consent: 'train', metadata: null, kind: 'call', state: 'complete' },
        ...{ source: 'openai', model: 'small', tools: null, sampling: {}, is_stream: false },
        messages: [{ role: 'user', content: `question ${prompt}` }],
        replies: [
          {
            message: { role: 'assistant', content: reply },
            ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' },
          },
        ],
        ...{ usage: null, cost: null, upstream: null, started_at: 1_000, first_token_at: null, ended_at: 1_000 },
        error: null,
      };
      calls.push({ call, isUp: reply !== 'no' });
    }
  }
  const receipts = await recordCaptures({ store, blobs, tenantId, records: calls.map(({ call }) => call) });
  if (!isRated) return;
  for (const [index, { isUp }] of calls.entries()) {
    const about = { trajectory_id: receipts[index]!.trajectory_id, author: 'reader', author_kind: 'person' } as const;
    await writeFeedback({ store, tenantId, feedback: { ...about, kind: 'thumb', is_up: isUp } });
  }
}

/** The real library and registry; the engine is counted and not there. */
function makeOptions(
  here: Home,
  changes: Partial<ImproveOptions> = {},
): { options: Omit<ImproveOptions, 'improvementId'>; trained: string[] } {
  const trained: string[] = [];
  const options: Omit<ImproveOptions, 'improvementId'> = {
    ...{ store: here.store, blobs: here.blobs, home: here.home, tenantId, tinker: {}, env: {} },
    summarise: summariseDifferences,
    async train({ run, dataset, settings = {}, method }) {
      const found = await findDataset({ store: here.store, tenantId, ref: `${dataset.name}@${dataset.version}` });
      if (found === undefined) throw new Error('there is no such data set');
      const known = (await listModels({ store: here.store, tenantId })).find((model) => model.run === run);
      if (known === undefined) trained.push(run);
      const { dataset_id: _id, name, version, content_digest: digest } = found;
      const model = await registerModel({
        ...{ store: here.store, tenantId, name: settings.model_name ?? run, baseModel: 'base', method },
        ...{ weightsPath: `tinker://${run}/sampler_weights/last`, run, step: 4, dataset: { name, version, digest } },
        parent: settings.parent ?? null,
      });
      return {
        ...{ run, runId: run, state: 'finished', method, dataset: { name, version, digest }, baseModel: 'base' },
        ...{ modelVersionId: model.modelVersionId, model: `${model.name}@${model.version}` },
        ...{ weightsPath: model.weightsPath, statePath: null, steps: 4, totalSteps: 4, metrics: {}, skipped: {} },
      };
    },
    measure: async ({ rows }) => rows.map(({ id }, index) => ({ id, current: index % 2, candidate: 1 })),
    ...changes,
  };
  return { options, trained };
}

const begin = async (here: Home, plan: Record<string, unknown> = {}): Promise<string> => {
  const asked = { model: 'helper', min_items: 4, held_out_share: 0.3, ...plan };
  return (await beginImprovement({ store: here.store, tenantId, plan: asked })).improvement.improvementId;
};

test('makes a served model of ratings, and what it measures with was never trained on', async () => {
  await using here = await openTestHome();
  await recordLibrary(here);
  const { options, trained } = makeOptions(here);
  const ended = await improveModel({ ...options, improvementId: await begin(here) });
  expect(ended).toMatchObject({ outcome: 'promoted' });
  expect(trained).toHaveLength(1);
  const served = await findPromoted({ store: here.store, tenantId, name: 'helper' });
  expect(served?.model).toMatchObject({ version: 1, method: 'dpo', evaluations: [{ name: 'improve/held-out' }] });
  expect(served?.promotion.reason).toMatch(/paired difference \+0\.\d+ on \d+ held-out items/);

  const prompts = async (ref: string): Promise<Set<string>> => {
    const dataset = await findDataset({ store: here.store, tenantId, ref });
    const rows = readDatasetRows({ ...here, tenantId, datasetId: dataset?.dataset_id ?? '' });
    const found = new Set<string>();
    for await (const row of rows) if (row.kind === 'preference') found.add(JSON.stringify(row.prompt));
    return found;
  };
  const [training, heldOut] = [await prompts('helper-improve@1'), await prompts('helper-held-out@1')];
  expect(training.size + heldOut.size).toBe(PROMPTS);
  expect(heldOut.size).toBeGreaterThan(4);
  expect([...training].filter((prompt) => heldOut.has(prompt))).toEqual([]);
});

test.each(['dataset', 'train', 'promote'] as const)(
  'comes to the same when a process dies behind %s, before that is written down',
  async (stage) => {
    await using here = await openTestHome();
    await recordLibrary(here);
    const { options, trained } = makeOptions(here);
    const improvementId = await begin(here);
    const dies = new Error('killed');
    let isDead = false;
    const dyingStore = dieBeforeWriting(here.store, () => isDead, dies);
    const changed: Partial<ImproveOptions> = {
      onProgress: (progress) => {
        if (progress.stage === stage && progress.state === 'started') isDead = true;
      },
    };
    const error = await improveModel({ ...options, ...changed, store: dyingStore, improvementId }).catch(
      (one: unknown) => one,
    );
    expect(error).toBe(dies);
    isDead = false;
    expect(await improveModel({ ...options, improvementId })).toMatchObject({ outcome: 'promoted' });
    expect(trained).toHaveLength(1);
    expect(await listDatasets({ store: here.store, tenantId })).toHaveLength(2);
    expect(await listModels({ store: here.store, tenantId })).toHaveLength(1);
  },
);

/** A store that does what a stage asks, and dies when its end is to be written down. */
function dieBeforeWriting(store: Store, isDead: () => boolean, error: Error): Store {
  return {
    ...store,
    db: store.db,
    dialect: store.dialect,
    now: () => store.now(),
    close: () => store.close(),
    commit(unit, options) {
      const isEnd = unit.statements.some(({ query }) => /insert into "?improvement_stages/.test(query.sql));
      return isDead() && isEnd ? Promise.reject(error) : store.commit(unit, options);
    },
  };
}

test('does not promote what is not better, and counts only new ratings next time', async () => {
  await using here = await openTestHome();
  await recordLibrary(here);
  const measure: ImproveOptions['measure'] = async ({ rows }) =>
    rows.map(({ id }, index) => ({ id, current: index % 2, candidate: (index + 1) % 2 }));
  const { options } = makeOptions(here, { measure });
  expect(await improveModel({ ...options, improvementId: await begin(here) })).toMatchObject({ outcome: 'not-better' });
  expect(await findPromoted({ store: here.store, tenantId, name: 'helper' })).toBeUndefined();
  const again = await improveModel({ ...options, improvementId: await begin(here) });
  expect(again).toMatchObject({ outcome: 'too-few-ratings', reason: expect.stringContaining('0 new ratings') });
});

test('does not promote over what somebody else has promoted meanwhile', async () => {
  await using here = await openTestHome();
  await recordLibrary(here);
  const { store } = here;
  const { options } = makeOptions(here, {
    async measure({ rows }) {
      const other = { store, tenantId, name: 'helper', baseModel: 'base', method: 'sft', weightsPath: 'w' } as const;
      const { version } = await registerModel(other);
      await promoteModel({ store, tenantId, name: 'helper', version, reason: 'by hand', by: 'somebody' });
      return rows.map(({ id }, index) => ({ id, current: index % 2, candidate: 1 }));
    },
  });
  expect(await improveModel({ ...options, improvementId: await begin(here) })).toMatchObject({ outcome: 'overtaken' });
  expect((await findPromoted({ store, tenantId, name: 'helper' }))?.promotion.by).toBe('somebody');
});

test('lets rules rate where people have not, and has them score the replies of both models', async () => {
  await using here = await openTestHome();
  await recordLibrary(here, { isRated: false });
  const rules = [{ name: 'polite', when: { contains: 'please' }, score: 1, otherwise: 0 }];
  const plan = improvePlanSchema.parse({ model: 'helper', rules });
  const raters = createRaters(
    plan,
    createLocalLibrary({ parts: openIngestParts(here), tenantId, audit: async () => undefined }),
  );
  const score = async (content: string): Promise<number | undefined> =>
    raters?.score({ messages: [], reply: { role: 'assistant', content } });
  expect([await score('yes please'), await score('no')]).toEqual([1, 0]);
  const { options } = makeOptions(here, { rate: raters?.rate, score: raters?.score });
  const ended = await improveModel({ ...options, improvementId: await begin(here, { rules }) });
  expect(ended).toMatchObject({ outcome: 'promoted' });
  expect(ended.stages.find(({ stage }) => stage === 'rate')?.content).toEqual({
    ratings: 2 * PROMPTS,
    rated: 2 * PROMPTS,
  });
});

test.each([
  ['sft', PROMPTS],
  ['kto', 2 * PROMPTS],
] as const)('takes the rows that %s learns from', async (method, rows) => {
  await using here = await openTestHome();
  await recordLibrary(here);
  const { options } = makeOptions(here);
  const ended = await improveModel({ ...options, improvementId: await begin(here, { method }) });
  expect(ended).toMatchObject({ outcome: 'promoted' });
  const content = ended.stages.find(({ stage }) => stage === 'dataset')?.content;
  const heldOut = Number(content?.['held_out_rows']);
  // A held-out prompt is kept once; both of its replies are left out of the training.
  expect(Number(content?.['rows'])).toBe(rows - heldOut * (rows / PROMPTS));
});

/** A judge that likes everything, and keeps the keys that it was given. */
async function startJudge(answer = true): Promise<{ url: string; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    const content = JSON.stringify({ score: 1, reason: 'good' });
    if (answer) response.end(JSON.stringify({ choices: [{ message: { content } }] }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, keys };
}

const judgePlan = (url: string) => ({
  ...{ model: 'helper', min_ratings: 1_000 },
  judge: { base_url: url, model: 'j', rubric: 'r', rubric_name: 'r.md' },
});

test.each([
  ['one that was begun at home has the key of the home', null, 'Bearer sk-of-the-home'],
  ['one that a server was asked for has no key and asks no machine of ours', 'server', undefined],
  ['one that a server gave up stays such a one', 'server-paused', undefined],
] as const)('the judge of an improvement: %s', async (_name, runner, key) => {
  await using here = await openTestHome();
  await recordLibrary(here, { isRated: false });
  const { url, keys } = await startJudge();
  vi.stubEnv('LACHESIS_JUDGE_API_KEY', 'sk-of-the-home');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { improvement } = await beginImprovement({ store: here.store, tenantId, plan: judgePlan(url), runner });
  const local = { ...here, audit: async () => undefined } as unknown as Parameters<typeof runImprove>[0]['local'];
  const ended = await runImprove({
    ...{ local, place: { home: here.home, databaseUrl: undefined }, improvement, engineUrl: undefined },
    ...{ signal: new AbortController().signal, onProgress: () => undefined },
  });
  expect(ended).toMatchObject({ outcome: 'too-few-ratings' });
  expect(new Set(keys)).toEqual(new Set(key === undefined ? [] : [key]));
});

test('a stop is seen while rules rate, and while a judge is asked', async () => {
  await using here = await openTestHome();
  await recordLibrary(here, { isRated: false });
  const { url, keys } = await startJudge(false);
  const library = createLocalLibrary({ parts: openIngestParts(here), tenantId, audit: async () => undefined });
  const rules = [{ name: 'polite', when: { contains: 'please' }, score: 1, otherwise: 0 }];
  const stopped = AbortSignal.abort(new Error('stopped'));
  const byRules = createRaters(improvePlanSchema.parse({ model: 'helper', rules }), library);
  await expect(byRules?.rate({}, { signal: stopped })).rejects.toThrow('stopped');

  const byJudge = createRaters(improvePlanSchema.parse(judgePlan(url)), library);
  const stop = new AbortController();
  const rating = byJudge?.rate({}, { signal: stop.signal });
  const reply = { role: 'assistant', content: 'yes' } as const;
  const scoring = byJudge?.score({ messages: [], reply, signal: stop.signal });
  const ends = Promise.allSettled([rating, scoring]);
  await vi.waitFor(() => expect(keys.length).toBeGreaterThan(1));
  stop.abort(new Error('stopped'));
  expect(await ends).toMatchObject([
    { status: 'rejected', reason: { message: 'stopped' } },
    { status: 'rejected', reason: { message: 'stopped' } },
  ]);
});
