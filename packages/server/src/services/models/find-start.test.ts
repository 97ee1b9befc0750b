import { createIdSource, LachesisError } from '@lachesis/protocol';
import {
  findOrCreateRun,
  openCheckpointList,
  openStepLedger,
  openStore,
  registerModel,
  type CheckpointList,
  type StepLedger,
  type Store,
} from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findStart, needKeptModel, needModel, needState } from './find-start.ts';

let store: Store;
let folder: string;
let checkpoints: CheckpointList;
let ledger: StepLedger;
const scope = () => ({ store, tenantId: 'local' });
const find = (ref: string) => findStart({ ...scope(), ref });

const weightsOf = (step: number): string => `tinker://m/sampler_weights/policy-${step}`;
const stateOf = (step: number): string => `tinker://m/weights/checkpoint-${step}`;

/** The run `rl-a` with checkpoints of steps 5 and 10 in the registry, and a state of step 11 that is in none. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-start-'));
  store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  const { runId } = await findOrCreateRun({ ...scope(), name: 'rl-a' });
  const ids = createIdSource();
  const run = { ...scope(), runId, incarnationId: 'i', ids };
  checkpoints = openCheckpointList(run);
  ledger = openStepLedger(run);
  for (const step of [5, 10]) {
    const paths = { statePath: stateOf(step), weightsPath: weightsOf(step) };
    await checkpoints.add({ step, policyVersion: step, modelId: 'm', isFinal: false, ...paths });
    await registerModel({
      ...{ ...scope(), name: 'rl-a', baseModel: 'tiny', method: 'grpo', run: 'rl-a', step, ...paths },
    });
  }
  await ledger.open({ step: 11, batchId: 'b', epoch: 1, groupCount: 1 });
  await ledger.advance(11, {
    ...{ state: 'done', statePath: 'tinker://m/weights/policy-11', weightsPath: weightsOf(11) },
  });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** The sentence and the advice of a refusal. */
const refusal = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => (LachesisError.isInstance(error) ? `${error.message}. ${error.hint}` : String(error)),
  );

test('a version, a step of a run and a path are the same weights', async () => {
  const first = { statePath: stateOf(5), weightsPath: weightsOf(5), model: { name: 'rl-a', version: 1 } };
  expect(await find('rl-a@1')).toMatchObject({ ...first, name: 'rl-a@1' });
  expect(await find('rl-a:5')).toMatchObject({ ...first, name: 'rl-a:5' });
  expect(await find(stateOf(5))).toMatchObject({ ...first, name: stateOf(5) });
  expect(await find(weightsOf(5))).toMatchObject(first);
  expect(await needModel({ ...scope(), ref: 'rl-a:10' })).toMatchObject({ version: 2 });
  expect(await needModel({ ...scope(), ref: weightsOf(10) })).toMatchObject({ version: 2 });
});

test('a run that no model is called after stands for its newest state, and its beginning for it', async () => {
  await findOrCreateRun({ ...scope(), name: 'other' });
  expect(await find('rl-a:11')).toMatchObject({ statePath: 'tinker://m/weights/policy-11', model: undefined });
  expect(await find('rl:11')).toMatchObject({ name: 'rl-a:11' });
  expect(await find('rl-')).toMatchObject({ name: 'rl-a:11' });
  await expect(find('other')).rejects.toThrow('run other has no saved state');
});

test('the best checkpoint of a run is found by its evaluation', async () => {
  expect(await refusal(find('rl-a:best'))).toContain('no checkpoint of run rl-a has an evaluation');
  await checkpoints.evaluate(5, 0.9);
  await checkpoints.evaluate(10, 0.4);
  expect(await find('rl-a:best')).toMatchObject({ name: 'rl-a:5' });
});

test('a state that the store does not know is taken by its path', async () => {
  const path = 'tinker://elsewhere/weights/warm';
  expect(await needState({ ...scope(), ref: path })).toMatchObject({ statePath: path, model: undefined });
});

test('a training that would begin with weights for sampling is told their state', async () => {
  expect(await refusal(needState({ ...scope(), ref: weightsOf(10) }))).toBe(
    `${weightsOf(10)} is for sampling, and a training begins with a state. Its state is ${stateOf(10)}; rl-a@2 names both.`,
  );
  expect(await refusal(needState({ ...scope(), ref: weightsOf(11) }))).toContain(
    'Its state is tinker://m/weights/policy-11.',
  );
  expect(await refusal(needState({ ...scope(), ref: 'tinker://elsewhere/policy-3' }))).toContain(
    'has no saved state to begin with',
  );
  expect(await needState({ ...scope(), ref: 'rl-a@2' })).toMatchObject({ statePath: stateOf(10) });
});

test('what is not there is refused with what there is', async () => {
  expect(await refusal(find('rl-a:7'))).toBe(
    'run rl-a has no saved state of step 7. There are those of steps 11, 10, 5.',
  );
  expect(await refusal(find('none:7'))).toContain('there is no run "none"');
  expect(await refusal(find('none@7'))).toContain('there is no model "none@7"');
  expect(await refusal(needModel({ ...scope(), ref: 'rl-a:11' }))).toContain('rl-a:11 is in no registry of models');
});

test('a version whose weights the run deleted is shown, and nothing begins with it', async () => {
  expect(await checkpoints.forget(5)).toBe(true);
  expect(await needModel({ ...scope(), ref: 'rl-a@1' })).toMatchObject({ weightsDeletedAt: expect.any(Number) });
  const sentence = 'the weights of rl-a@1 were deleted: the run rl-a keeps only so many checkpoints';
  expect(await refusal(needKeptModel({ ...scope(), ref: 'rl-a@1' }))).toContain(sentence);
  expect(await refusal(needState({ ...scope(), ref: 'rl-a@1' }))).toContain(sentence);
  expect(await refusal(find('rl-a:5'))).toContain('There are those of steps 11, 10.');
});
