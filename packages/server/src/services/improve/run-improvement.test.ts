import { acquireImprovement, findImprovement, openStore, startImprovement, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ImproveLostError } from './lost-error.ts';
import { IMPROVE_STAGES, type ImproveDeps, type ImproveStage, type StageContents } from './stages.ts';
import { runImprovement } from './run-improvement.ts';

const tenantId = 'local';
const good: StageContents = {
  collect: { since: 0, last: null, until: 5, drained: 0, from: null, from_version_id: null },
  filter: { trajectories: 40, by_source: [] },
  rate: { ratings: 30, rated: 0 },
  dataset: { dataset: 'd@1', digest: 'x', rows: 24, held_out: 'h@1', held_out_rows: 8, left_out: [], until: 6 },
  train: {
    ...{ run: 'r', model: 'm@1', model_version_id: 'id', base_model: 'base', weights_path: 'tinker://w', steps: 3 },
    metrics: { 'dpo/loss': 0.2 },
  },
  evaluate: {
    ...{ items: 8, by: 'replies', current_mean: 0.2, candidate_mean: 0.8, difference: 0.6 },
    ...{ interval: [0.3, 0.9], better: 7, worse: 0, preferred_shift: -0.5, examples: [] },
  },
  promote: { model: 'm@1', served_before: null, overtaken_by: null },
};

/** Parts that count how often each was done, and die or lie where they are told to. */
function makeParts(changes: Partial<StageContents> = {}): { deps: ImproveDeps; calls: ImproveStage[] } {
  const calls: ImproveStage[] = [];
  const contents = { ...good, ...changes };
  const deps = Object.fromEntries(
    IMPROVE_STAGES.map((stage) => [
      stage,
      async () => {
        calls.push(stage);
        return contents[stage];
      },
    ]),
  ) as unknown as ImproveDeps;
  return { deps, calls };
}

async function begin(): Promise<{ store: Store; improvementId: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-improve-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  const { improvement } = await startImprovement({
    ...{ store, tenantId, model: 'm', stage: 'collect' },
    plan: { model: 'm' },
  });
  return {
    store,
    improvementId: improvement.improvementId,
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

test('goes through every stage once and ends with what is promoted', async () => {
  await using here = await begin();
  const { deps, calls } = makeParts();
  const said: string[] = [];
  const ended = await runImprovement({
    ...{ ...here, tenantId, deps, holder: 'a' },
    onProgress: ({ stage, state }) => void said.push(`${stage} ${state}`),
  });
  expect(ended).toMatchObject({ outcome: 'promoted', reason: 'm@1 is served', holder: null, problem: null });
  expect(calls).toEqual([...IMPROVE_STAGES]);
  expect(ended.stages.map(({ stage }) => stage)).toEqual([...IMPROVE_STAGES]);
  expect(said.at(-1)).toBe('promote done');
});

test('does nothing more once it has ended', async () => {
  await using here = await begin();
  await runImprovement({ ...here, tenantId, deps: makeParts().deps, holder: 'a' });
  const again = makeParts();
  expect(await runImprovement({ ...here, tenantId, deps: again.deps, holder: 'b' })).toMatchObject({
    outcome: 'promoted',
  });
  expect(again.calls).toEqual([]);
});

test.each([
  ['rate', { rate: { ratings: 19, rated: 0 } }, 'too-few-ratings'],
  ['dataset', { dataset: { ...good.dataset, rows: 7 } }, 'too-few-rows'],
  ['dataset', { dataset: { ...good.dataset, held_out_rows: 7 } }, 'too-few-held-out'],
  ['evaluate', { evaluate: { ...good.evaluate, interval: [-0.01, 0.9] as [number, number] } }, 'not-better'],
  ['evaluate', { evaluate: { ...good.evaluate, interval: null } }, 'not-better'],
  ['evaluate', { evaluate: { ...good.evaluate, preferred_shift: -0.51 } }, 'not-better'],
  ['evaluate', { evaluate: { ...good.evaluate, items: 7 } }, 'too-few-held-out'],
  ['promote', { promote: { ...good.promote, overtaken_by: 'm@7' } }, 'overtaken'],
] as const)('ends behind %s when its gate is shut (%#)', async (stage, changes, outcome) => {
  await using here = await begin();
  const { deps, calls } = makeParts(changes);
  expect(await runImprovement({ ...here, tenantId, deps, holder: 'a' })).toMatchObject({ outcome });
  expect(calls.at(-1)).toBe(stage);
});

test.each(IMPROVE_STAGES)('goes on with %s when the process before died in it', async (fatal) => {
  await using here = await begin();
  const first = makeParts();
  const hanging = Promise.withResolvers<never>();
  const reached = Promise.withResolvers<void>();
  const dying = {
    ...first.deps,
    [fatal]: () => {
      first.calls.push(fatal);
      reached.resolve();
      return hanging.promise;
    },
  } as ImproveDeps;
  // It hangs for ever, as a process that was killed does.
  const dead = runImprovement({ ...here, tenantId, deps: dying, holder: 'dead' });
  dead.catch(() => undefined);
  await reached.promise;
  const second = makeParts();
  const isGone = (holder: string): boolean => holder === 'dead';
  const ended = await runImprovement({ ...here, tenantId, deps: second.deps, holder: 'b', isGone });
  expect(ended).toMatchObject({ outcome: 'promoted' });
  const all = [...first.calls, ...second.calls];
  for (const stage of IMPROVE_STAGES) {
    expect(all.filter((call) => call === stage)).toHaveLength(stage === fatal ? 2 : 1);
  }
  expect(ended.stages.map(({ stage }) => stage)).toEqual([...IMPROVE_STAGES]);
});

test('writes nothing after somebody else has taken over', async () => {
  await using here = await begin();
  const { store, improvementId } = here;
  const { deps } = makeParts();
  const overtaken = {
    ...deps,
    train: async () => {
      await acquireImprovement({ store, tenantId, improvementId, holder: 'b', seconds: 60, isGone: () => true });
      return good.train;
    },
  };
  const error = await runImprovement({ ...here, tenantId, deps: overtaken, holder: 'a' }).catch((one: unknown) => one);
  expect(ImproveLostError.isInstance(error)).toBe(true);
  expect(await findImprovement({ store, tenantId, ref: 'm' })).toMatchObject({ stage: 'train', holder: 'b' });
});

test('leaves alone what another process brings on', async () => {
  await using here = await begin();
  const { store, improvementId } = here;
  await acquireImprovement({ store, tenantId, improvementId, holder: 'b', seconds: 60 });
  const { deps, calls } = makeParts();
  await expect(runImprovement({ ...here, tenantId, deps, holder: 'a' })).rejects.toThrow(/another process/);
  expect(calls).toEqual([]);
});

test('keeps the sentence of a failure and goes on when it is asked again', async () => {
  await using here = await begin();
  const { deps } = makeParts();
  const failing = { ...deps, train: () => Promise.reject(new Error('the engine is away')) };
  await expect(runImprovement({ ...here, tenantId, deps: failing, holder: 'a' })).rejects.toThrow('the engine is away');
  const { store } = here;
  expect(await findImprovement({ store, tenantId, ref: 'm' })).toMatchObject({
    ...{ stage: 'train', problem: 'the engine is away', holder: null, outcome: null },
  });
  const again = makeParts();
  expect(await runImprovement({ ...here, tenantId, deps: again.deps, holder: 'b' })).toMatchObject({
    ...{ outcome: 'promoted', problem: null },
  });
  expect(again.calls).toEqual(['train', 'evaluate', 'promote']);
});

test('a look that takes long is waited for, and no others queue behind it', async () => {
  await using here = await begin();
  let results = 0;
  const db = here.store.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      results += 1;
      await sleep(20);
      return result;
    },
  });
  const { store } = here;
  const slow: Store = {
    ...{ db, dialect: store.dialect, now: () => store.now(), close: () => store.close() },
    commit: (unit, options) => store.commit(unit, options),
  };
  const { deps } = makeParts();
  const train = async (): Promise<StageContents['train']> => {
    await sleep(500);
    return good.train;
  };
  const asked = { ...here, store: slow, tenantId, holder: 'a', lookEveryMs: 1 };
  await runImprovement({ ...asked, deps: { ...deps, train } });
  // A look is two results of 20 ms: half a second has room for twelve looks, and not for the hundreds that came due.
  expect(results).toBeLessThan(200);
});
