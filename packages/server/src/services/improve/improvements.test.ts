import { acquireImprovement, openStore, startImprovement, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readWatermark } from './last-improvement.ts';
import { listModelImprovements, showImprovement, stopImprovement } from './improvements.ts';
import { runImprovement } from './run-improvement.ts';
import { IMPROVE_STAGES, type ImproveDeps, type StageContext } from './stages.ts';

const tenantId = 'a';

async function openBench(): Promise<{ store: Store; begin: (model?: string) => Promise<string> } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-improve-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  return {
    store,
    async begin(model = 'm') {
      const { improvement } = await startImprovement({ store, tenantId, model, stage: 'collect', plan: { model } });
      return improvement.improvementId;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Collects, and is then at its filter until it is told to end. */
function waitAtFilter(): { deps: ImproveDeps; isThere: Promise<StageContext> } {
  const there = Promise.withResolvers<StageContext>();
  const never = (): Promise<never> => Promise.reject(new Error('no stage comes after one that was stopped'));
  const deps = {
    ...Object.fromEntries(IMPROVE_STAGES.map((stage) => [stage, never])),
    collect: async () => ({ since: 0, until: 5, drained: 0, from: null, from_version_id: null }),
    filter: (context: StageContext) => {
      there.resolve(context);
      return new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  } as unknown as ImproveDeps;
  return { deps, isThere: there.promise };
}

test('one that runs ends soon after it is stopped, and what it was to learn from is there for the next', async () => {
  await using bench = await openBench();
  const { store } = bench;
  const ref = await bench.begin();
  const { deps, isThere } = waitAtFilter();
  const running = runImprovement({ store, tenantId, improvementId: ref, deps, holder: 'one@', lookEveryMs: 20 });
  const { say } = await isThere;
  say('so far');
  await expect
    .poll(() => showImprovement({ store, tenantId, ref }))
    .toMatchObject({ state: 'running', progress: 'so far' });
  const stopped = await stopImprovement({ store, tenantId, ref, reason: 'asked for' });
  const end = { outcome: 'stopped', reason: 'asked for', state: 'ended', progress: null, stage: 'filter' };
  expect(stopped).toMatchObject(end);
  expect(await running).toMatchObject({ outcome: 'stopped', stage: 'filter' });
  expect(await stopImprovement({ store, tenantId, ref, reason: 'again' })).toMatchObject(end);
  expect(await readWatermark({ store, tenantId, model: 'm' })).toBe(0);
  expect(await bench.begin()).not.toBe(ref);
});

test('one is found by its id, the beginning of it, or its model, by its tenant alone', async () => {
  await using bench = await openBench();
  const { store } = bench;
  const ref = await bench.begin();
  for (const given of [ref, 'm', ref.slice(0, 20)]) {
    expect(await showImprovement({ store, tenantId, ref: given })).toMatchObject({ improvement_id: ref, model: 'm' });
  }
  for (const [owner, given] of [
    ['b', ref],
    ['b', ref.slice(0, 20)],
    ['a', ref.slice(0, 3)],
    ['a', '%%%%%%'],
  ] as const) {
    const found = showImprovement({ store, tenantId: owner, ref: given });
    await expect(found).rejects.toMatchObject({ code: 'not-found' });
  }
  const stop = stopImprovement({ store, tenantId: 'b', ref, reason: 'not mine' });
  await expect(stop).rejects.toMatchObject({ code: 'not-found' });
  await bench.begin('n');
  // Both began in the same millisecond or the next: the first digits are those of the time.
  const both = showImprovement({ store, tenantId, ref: ref.slice(0, 8) });
  await expect(both).rejects.toMatchObject({ code: 'conflict' });
});

test('one that nobody brings on says so, and one whose holder is dead too', async () => {
  await using bench = await openBench();
  const { store } = bench;
  const improvementId = await bench.begin();
  const states = async () => (await listModelImprovements({ store, tenantId })).map(({ state }) => state);
  expect(await states()).toEqual(['interrupted']);
  await acquireImprovement({ store, tenantId, improvementId, holder: 'x@elsewhere/1/2', seconds: 60 });
  expect(await states()).toEqual(['running']);
});
