import {
  improvementListSchema,
  LachesisError,
  lineageSchema,
  modelDetailSchema,
  modelVersionListSchema,
} from '@lachesis/protocol';
import { openStore, recordLineage, registerModel, startImprovement, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listModelImprovements } from '../improve/improvements.ts';
import { readLineage } from './lineage.ts';
import { listRegisteredModels, promoteRegisteredModel, rollBackModel, showModel } from './models.ts';

let store: Store;
let folder: string;
const scope = () => ({ store, tenantId: 'local' });
const change = { reason: 'better', by: 'ada' };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-services-'));
  store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  const common = { ...scope(), name: 'support', baseModel: 'tiny', run: 'r' };
  await registerModel({ ...common, method: 'sft', step: 5, weightsPath: 'tinker://m/5', config: { lr: 0.1 } });
  await registerModel({ ...common, method: 'dpo', step: 9, weightsPath: 'tinker://m/9', parent: 'support@1' });
  await registerModel({ ...common, name: 'taste', method: 'reward', step: 1, weightsPath: 'tinker://m/1' });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** The code and the sentence of a refusal. */
const refusal = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => (LachesisError.isInstance(error) ? `${error.code}: ${error.message}` : String(error)),
  );

test('models are listed with what each name serves, and shown with where they come from', async () => {
  await promoteRegisteredModel({ ...scope(), ref: 'support@1', change });
  const models = await listRegisteredModels(scope());
  expect(modelVersionListSchema.parse({ models })).toEqual({ models });
  expect(models.filter((model) => model.is_promoted).map(({ name, version }) => [name, version])).toEqual([
    ['support', 1],
  ]);
  expect((await listRegisteredModels({ ...scope(), name: 'taste' })).map(({ name }) => name)).toEqual(['taste']);
  const shown = await showModel({ ...scope(), ref: 'support' });
  expect(modelDetailSchema.parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({
    model: { version: 2, is_promoted: false },
    parent_name: 'support@1',
    promotions: [change],
  });
});

test('a name serves what was promoted, and goes back', async () => {
  await promoteRegisteredModel({ ...scope(), ref: 'support@1', change });
  expect(await promoteRegisteredModel({ ...scope(), ref: 'support', change })).toMatchObject({
    version: 2,
    ordinal: 2,
  });
  expect(await rollBackModel({ ...scope(), name: 'support', change })).toMatchObject({
    version: 1,
    kind: 'rolled-back',
  });
});

test('what is not there, and what cannot be done, is refused with the reason', async () => {
  expect(await refusal(showModel({ ...scope(), ref: 'nope' }))).toBe('not-found: there is no model "nope"');
  expect(await refusal(showModel({ store, tenantId: 'other', ref: 'support' }))).toContain('not-found');
  expect(await refusal(promoteRegisteredModel({ ...scope(), ref: 'taste', change }))).toContain(
    'conflict: The model taste@1 is a reward model',
  );
  expect(await refusal(rollBackModel({ ...scope(), name: 'support', change }))).toContain('was never promoted');
});

test('lineage is told both ways, with the names of models', async () => {
  const [first] = await listRegisteredModels({ ...scope(), name: 'taste' });
  const model = { kind: 'model', id: first!.model_version_id } as const;
  const feedback = { kind: 'feedback', id: 'f1' } as const;
  await recordLineage({ ...scope(), arrows: [{ from: feedback, to: model, relation: 'trained-into' }] });
  const lineage = await readLineage({ ...scope(), what: 'model:taste' });
  expect(lineageSchema.parse(lineage)).toEqual(lineage);
  expect(lineage.back.nodes).toContainEqual({ ...feedback, distance: 1 });
  expect(lineage.names[model.id]).toBe('taste@1');
  expect((await readLineage({ ...scope(), what: 'feedback:f1' })).forward.nodes).toContainEqual({
    ...model,
    distance: 1,
  });
  expect((await readLineage({ store, tenantId: 'other', what: 'feedback:f1' })).forward.nodes).toEqual([]);
  expect(await refusal(readLineage({ ...scope(), what: 'modle:x' }))).toBe('invalid: "modle:x" names nothing');
  expect(await refusal(readLineage({ ...scope(), what: 'dataset:x' }))).toBe('not-found: there is no data set "x"');
});

test('improvements say where they stand, by model and tenant', async () => {
  await startImprovement({ ...scope(), model: 'support', plan: {}, stage: 'collect' });
  const improvements = await listModelImprovements({ ...scope(), model: 'support' });
  expect(improvementListSchema.parse({ improvements })).toEqual({ improvements });
  expect(improvements).toMatchObject([{ model: 'support', stage: 'collect', outcome: null, stages: [] }]);
  expect(await listModelImprovements({ ...scope(), model: 'taste' })).toEqual([]);
  expect(await listModelImprovements({ store, tenantId: 'other' })).toEqual([]);
});
