import { expect, test } from 'vitest';
import { ModelMissingError, ModelOvertakenError, ModelRefusedError } from '../errors/model-errors.ts';
import { readEventPage } from '../events/read-event-page.ts';
import { verifyChain } from '../events/verify-chain.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { findModel, findModelsById, listModels } from './find-models.ts';
import { modelEventsOf } from './model-events.ts';
import { findPromoted, listPromotions, promoteModel, rollbackModel } from './promote-model.ts';
import { recordModelEvaluation } from './record-model-evaluation.ts';
import { registerModel, type RegisterModelOptions } from './register-model.ts';

describeOnEachDialect('the registry of models', (createTarget) => {
  async function open(target: Awaited<ReturnType<typeof createTarget>>) {
    const scope = { store: await target.open(), tenantId: 'local' };
    const register = (step: number, changes: Partial<RegisterModelOptions> = {}) =>
      registerModel({
        ...scope,
        ...{ name: 'support', baseModel: 'tiny', method: 'dpo', weightsPath: `tinker://m/${step}`, run: 'r', step },
        ...changes,
      });
    const by = { reason: 'better', by: 'ada' };
    return { scope, register, by, named: { ...scope, name: 'support', ...by } };
  }

  test('gives each registration the next version, and the same one twice the same version', async () => {
    await using target = await createTarget();
    const { scope, register } = await open(target);
    const first = await register(10, { config: { lr: 1e-5, beta: 0.1 }, statePath: 'tinker://m/state' });
    expect(first).toMatchObject({
      ...{ name: 'support', version: 1, method: 'dpo', run: 'r', step: 10, parent: null, dataset: null },
      ...{ config: { beta: 0.1, lr: 1e-5 }, evaluations: [], weightsPath: 'tinker://m/10' },
    });
    expect(await register(10)).toEqual(first);
    const second = await register(20, { parent: 'support@1' });
    expect(second).toMatchObject({ version: 2, parent: first.modelVersionId });
    expect(await findModel({ ...scope, ref: 'support' })).toEqual(second);
    expect(await findModel({ ...scope, ref: 'support@1' })).toEqual(first);
    expect(await findModel({ ...scope, ref: first.modelVersionId })).toEqual(first);
    expect(await findModel({ ...scope, ref: 'support@9' })).toBeUndefined();
    expect(await findModel({ ...scope, tenantId: 'other', ref: 'support' })).toBeUndefined();
    expect(await listModels({ ...scope, name: 'support' })).toEqual([second, first]);
    expect(await findModelsById({ ...scope, ids: [first.modelVersionId, 'none'] })).toEqual([first]);
  });

  test('gives versions without gaps to many at once', async () => {
    await using target = await createTarget();
    const { register } = await open(target);
    const made = await Promise.all([1, 2, 3, 4, 4, 4].map((step) => register(step)));
    expect(new Set(made.map(({ version }) => version))).toEqual(new Set([1, 2, 3, 4]));
  });

  test('refuses a bad name, an unknown parent and a config without end', async () => {
    await using target = await createTarget();
    const { register } = await open(target);
    await expect(register(1, { name: 'a@1' })).rejects.toSatisfy(ModelRefusedError.isInstance);
    await expect(register(1, { parent: 'none@1' })).rejects.toSatisfy(ModelMissingError.isInstance);
    await expect(register(1, { config: { text: 'x'.repeat(70_000) } })).rejects.toSatisfy(ModelRefusedError.isInstance);
  });

  test('keeps evaluations, each result once', async () => {
    await using target = await createTarget();
    const { scope, register } = await open(target);
    await register(1);
    const note = (mean: number) =>
      recordModelEvaluation({ ...scope, ref: 'support@1', name: 'held-out', content: { mean } });
    const first = await note(0.5);
    expect(await note(0.5)).toEqual(first);
    const second = await note(0.6);
    expect((await findModel({ ...scope, ref: 'support' }))?.evaluations).toEqual([first, second]);
    await expect(recordModelEvaluation({ ...scope, ref: 'none', name: 'held-out', content: {} })).rejects.toSatisfy(
      ModelMissingError.isInstance,
    );
  });

  test('serves the version promoted last, and goes back step by step', async () => {
    await using target = await createTarget();
    const { scope, register, named } = await open(target);
    expect(await findPromoted(named)).toBeUndefined();
    await expect(rollbackModel(named)).rejects.toSatisfy(ModelRefusedError.isInstance);
    for (const step of [1, 2, 3]) await register(step);
    for (const version of [1, 2, 3]) await promoteModel({ ...named, version });
    const again = await promoteModel({ ...named, version: 3, reason: 'once more' });
    expect(again).toMatchObject({ ordinal: 3, kind: 'promoted', version: 3, reason: 'better', by: 'ada' });
    expect((await findPromoted(named))?.model.version).toBe(3);
    expect(await rollbackModel(named)).toMatchObject({ kind: 'rolled-back', version: 2 });
    expect(await rollbackModel(named)).toMatchObject({ version: 1 });
    await expect(rollbackModel(named)).rejects.toSatisfy(ModelRefusedError.isInstance);
    await promoteModel({ ...named, version: 3 });
    expect(await rollbackModel(named)).toMatchObject({ version: 1 });
    expect((await listPromotions(named)).map(({ version }) => version)).toEqual([1, 2, 3, 2, 1, 3, 1]);
    const events = await readEventPage({ ...scope, runId: modelEventsOf('support') });
    expect(events.map(({ kind }) => kind).filter((kind) => kind === 'model-rolled-back')).toHaveLength(3);
    expect(verifyChain(events)).toMatchObject({ ok: true });
  });

  test('promotes over what the caller compared with, and over nothing else', async () => {
    await using target = await createTarget();
    const { register, named } = await open(target);
    const versions = await Promise.all([1, 2, 3, 4, 5].map((step) => register(step)));
    await promoteModel({ ...named, version: 1, over: null });
    const over = versions.find(({ version }) => version === 1)?.modelVersionId;
    // All compared with the same one: the first is served, and the others are told so.
    const ends = await Promise.allSettled([2, 3, 4, 5].map((version) => promoteModel({ ...named, version, over })));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const served = `support@${(await findPromoted(named))?.model.version}`;
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ name: expect.any(String), served });
    }
    await expect(promoteModel({ ...named, version: 1, over: null })).rejects.toSatisfy(ModelOvertakenError.isInstance);
    expect(await listPromotions(named)).toHaveLength(2);
  });

  test('does not promote what is not there, nor a reward model', async () => {
    await using target = await createTarget();
    const { register, named } = await open(target);
    await register(1, { method: 'reward' });
    await expect(promoteModel({ ...named, version: 1 })).rejects.toSatisfy(ModelRefusedError.isInstance);
    await expect(promoteModel({ ...named, version: 2 })).rejects.toSatisfy(ModelMissingError.isInstance);
  });

  test('keeps one history when two promote at once', async () => {
    await using target = await createTarget();
    const { register, named } = await open(target);
    await Promise.all([1, 2, 3, 4].map((step) => register(step)));
    await Promise.all([1, 2, 3, 4].map((version) => promoteModel({ ...named, version })));
    expect((await listPromotions(named)).map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4]);
  });
});
