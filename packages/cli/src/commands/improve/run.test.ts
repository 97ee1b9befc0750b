import { createIdSource, improvePlanSchema, type CallRecord } from '@lachesis/protocol';
import { summariseDifferences } from '@lachesis/protocol';
import { beginImprovement, countNewRatings, improveModel, refuseUnknownModel } from '@lachesis/server/processes';
import {
  findDataset,
  findPromoted,
  listDatasets,
  listFeedback,
  listImprovements,
  listModels,
  listTrajectories,
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
import { createLocalLibrary, stopImprovement } from '@lachesis/server/services';

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
async function recordLibrary(
  { store, blobs }: Home,
  { isRated = true, model = 'helper', source = 'openai' } = {},
): Promise<void> {
  const ids = createIdSource();
  const calls: { call: CallRecord; isUp: boolean }[] = [];
  for (let prompt = 0; prompt < PROMPTS; prompt += 1) {
    for (const reply of ['yes please', 'no']) {
      const call: CallRecord = {
        ...{
          record_id: ids.next(),
          recorder: `test ${model} ${source}`,
          sequence: calls.length,
          trajectory: ids.next(),
          at: 1_000,
        },
        ...{ user: null, tags: [], consent: 'train', metadata: null, kind: 'call', state: 'complete' },
        ...{ source, model, tools: null, sampling: {}, is_stream: false },
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
  const { options, trained } = makeOptions(here, { measure });
  expect(await improveModel({ ...options, improvementId: await begin(here) })).toMatchObject({ outcome: 'not-better' });
  expect(await findPromoted({ store: here.store, tenantId, name: 'helper' })).toBeUndefined();
  const second = await improveModel({ ...options, improvementId: await begin(here) });
  const reason = expect.stringMatching(/^nothing new since helper@1 \(80 ratings, \d+ rows, not-better at .*--again$/);
  expect(second).toMatchObject({ outcome: 'nothing-new', reason });
  expect(trained).toHaveLength(1);
  // Told so, it learns from them once more.
  const again = await improveModel({ ...options, improvementId: await begin(here, { again: true }) });
  expect(again).toMatchObject({ outcome: 'not-better' });
  expect(trained).toHaveLength(2);
});

test('ratings that an improvement gave itself are new once', async () => {
  await using here = await openTestHome();
  await recordLibrary(here, { isRated: false });
  const rules = [{ name: 'polite', when: { contains: 'please' }, score: 1, otherwise: 0 }];
  const library = createLocalLibrary({ parts: openIngestParts(here), tenantId, audit: async () => undefined });
  const raters = createRaters(improvePlanSchema.parse({ model: 'helper', rules }), library);
  const { options } = makeOptions(here, { rate: raters?.rate, score: raters?.score });
  expect(await improveModel({ ...options, improvementId: await begin(here, { rules }) })).toMatchObject({
    outcome: 'promoted',
  });
  const counted = { store: here.store, tenantId, plan: improvePlanSchema.parse({ model: 'helper', rules }) };
  expect(await countNewRatings(counted)).toBe(0);
  const second = await improveModel({ ...options, improvementId: await begin(here, { rules }) });
  expect(second).toMatchObject({ outcome: 'nothing-new' });
});

/** All that the rows of a set, or the ratings of a rule, are about. */
async function listLearnt(here: Home): Promise<Set<string>> {
  const { store } = here;
  const ids = new Set<string>();
  for (const { dataset_id: datasetId } of await listDatasets({ store, tenantId }))
    for await (const row of readDatasetRows({ ...here, tenantId, datasetId })) ids.add(row.trajectory_id ?? '');
  for (const { feedback } of await listFeedback({ store, tenantId, authorKind: 'rule' }))
    ids.add(feedback.trajectory_id);
  return ids;
}

test.each([
  ['what its own name served', {}, [0, 0, 1]],
  ['all that was recorded, when told', { all_models: true }, [1, 0, 1]],
  ['what another model served, when told', { filter: { model: 'other' } }, [1, 0, 0]],
  ['a batch, when told', { filter: { source: 'batch:nightly' } }, [0, 1, 0]],
] as const)('learns from %s', async (_name, plan, [ofOther, ofBatch, ofOwn]) => {
  await using here = await openTestHome();
  const { store } = here;
  await recordLibrary(here, { isRated: false });
  await recordLibrary(here, { isRated: false, model: 'helper@1' });
  await recordLibrary(here, { isRated: false, model: 'other' });
  await recordLibrary(here, { isRated: false, source: 'batch:nightly' });
  const rules = [{ name: 'polite', when: { contains: 'please' }, score: 1, otherwise: 0 }];
  const library = createLocalLibrary({ parts: openIngestParts(here), tenantId, audit: async () => undefined });
  const raters = createRaters(improvePlanSchema.parse({ model: 'helper', rules }), library);
  const { options } = makeOptions(here, { rate: raters?.rate, score: raters?.score });
  const ended = await improveModel({ ...options, improvementId: await begin(here, { rules, ...plan }) });
  expect(ended).toMatchObject({ outcome: 'promoted' });
  const learnt = await listLearnt(here);
  const count = async (filter: { model?: string; source?: string }): Promise<number> => {
    const { trajectories } = await listTrajectories({ store, tenantId, filter, limit: 500 });
    return Math.sign(trajectories.filter(({ trajectory_id: id }) => learnt.has(id)).length);
  };
  const own = await count({ model: 'helper@1' });
  expect([await count({ model: 'other' }), await count({ source: 'batch:nightly' }), own]).toEqual([
    ...[ofOther, ofBatch, ofOwn],
  ]);
  const sources = ended.stages.find(({ stage }) => stage === 'filter')?.content['by_source'];
  expect(sources).toContainEqual(expect.objectContaining({ trajectories: 2 * PROMPTS }));
});

test('holds nothing out of what another application asked, and nothing when it does not train', async () => {
  await using here = await openTestHome();
  const { store } = here;
  await recordLibrary(here);
  await recordLibrary(here, { model: 'other' });
  const { options } = makeOptions(here);
  const few = await improveModel({ ...options, improvementId: await begin(here, { min_rows: 1_000 }) });
  expect(few).toMatchObject({ outcome: 'too-few-rows', reason: expect.stringMatching(/^\d\d rows to train on/) });
  expect(await listDatasets({ store, tenantId })).toEqual([]);
  await improveModel({ ...options, improvementId: await begin(here, { again: true }) });
  const library = createLocalLibrary({ parts: openIngestParts(here), tenantId, audit: async () => undefined });
  const countRows = async (model: string): Promise<number> => {
    const { rows } = await library.exportRows({ model });
    return (await Array.fromAsync(rows)).length;
  };
  expect(await countRows('other')).toBe(2 * PROMPTS);
  const pairs = await library.exportRows({ model: 'other', kind: 'preference' });
  expect(await Array.fromAsync(pairs.rows)).toHaveLength(PROMPTS);
  const made = await library.makeDataset('others', { filter: { model: 'other' }, kind: 'preference' });
  expect(made.dataset.row_count).toBe(PROMPTS);
  await expect(library.makeDataset('all', { kind: 'preference' })).rejects.toMatchObject({ code: 'conflict' });
  expect(await countRows('helper')).toBeLessThan(2 * PROMPTS);
});

test('a name that nothing is known of is refused with those there are, and nothing is written', async () => {
  await using here = await openTestHome();
  const { store } = here;
  await recordLibrary(here);
  const refuse = (plan: Record<string, unknown>) =>
    refuseUnknownModel({ store, tenantId, plan: improvePlanSchema.parse(plan) });
  await expect(refuse({ model: 'helpr' })).rejects.toMatchObject({
    code: 'not-found',
    message: 'nothing is recorded or registered by the name "helpr"; there are helper',
  });
  await expect(refuse({ model: 'new', filter: { model: 'helpr' } })).rejects.toMatchObject({ code: 'not-found' });
  for (const fine of [
    { model: 'helper' },
    { model: 'new', filter: { model: 'helper' } },
    { model: 'n', all_models: true },
  ])
    await expect(refuse(fine)).resolves.toBeUndefined();
  expect(await listImprovements({ store, tenantId })).toEqual([]);
});

test('a version that a model learnt from or was measured with is deleted only by force, and frees its rows', async () => {
  await using here = await openTestHome();
  const { store } = here;
  await recordLibrary(here);
  const { options } = makeOptions(here);
  await improveModel({ ...options, improvementId: await begin(here) });
  const said: string[] = [];
  const audit = async ({ action }: { action: string }): Promise<void> => void said.push(action);
  const library = createLocalLibrary({ parts: openIngestParts(here), tenantId, audit });
  for (const ref of ['helper-improve@1', 'helper-held-out@1']) {
    const refused = library.deleteDataset(ref);
    await expect(refused).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('helper@1') });
    expect(await library.deleteDataset(ref, { force: true })).toMatchObject({ version: 1 });
    await expect(library.deleteDataset(ref)).rejects.toMatchObject({ code: 'not-found' });
  }
  expect(said).toEqual(['data sets delete', 'data sets delete']);
  expect(await store.db.selectFrom('held_out_digests').selectAll().execute()).toEqual([]);
});

test('one that is stopped before it trained holds nothing out', async () => {
  await using here = await openTestHome();
  const { store, blobs } = here;
  await recordLibrary(here);
  const dies: Partial<ImproveOptions> = { train: async () => Promise.reject(new Error('no engine')) };
  const { options } = makeOptions(here, dies);
  const improvementId = await begin(here);
  await expect(improveModel({ ...options, improvementId })).rejects.toThrow('no engine');
  expect(await listDatasets({ store, tenantId })).toHaveLength(2);
  await stopImprovement({ store, tenantId, blobs, ref: improvementId, reason: 'enough' });
  expect(await listDatasets({ store, tenantId })).toEqual([]);
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
