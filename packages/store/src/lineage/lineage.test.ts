import { makeConversation, type DataRecord } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createDatasetVersion } from '../datasets/create-dataset-version.ts';
import { createPreference } from '../datasets/records.fixture.ts';
import { writeFeedback } from '../feedback/write-feedback.ts';
import { registerModel } from '../models/register-model.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createCall, createMemoryBlobs, user } from '../trajectories/captures.fixture.ts';
import { forgetTrajectories } from '../trajectories/forget-trajectories.ts';
import { recordCaptures } from '../trajectories/captures/record-captures.ts';
import { recordLineage } from './record-lineage.ts';
import { traceBack, traceForward, type Trace } from './trace.ts';

const names = ({ nodes }: Trace) => nodes.map(({ kind, id }) => `${kind}:${id}`).sort();

describeOnEachDialect('lineage', (createTarget) => {
  /** A rated chat, its data set, a model of it, a model of that, and a chat that the last one answered in. */
  async function open(target: Awaited<ReturnType<typeof createTarget>>) {
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const chat = async (key: string, model?: string) => {
      const metadata = model === undefined ? null : { model_version_id: model };
      const records = [createCall({ trajectory: key, messages: [user(key)], metadata })];
      return (await recordCaptures({ ...scope, records }))[0]!.trajectory_id;
    };
    const rate = async (trajectoryId: string, isUp: boolean) =>
      (
        await writeFeedback({
          ...scope,
          feedback: { kind: 'thumb', is_up: isUp, trajectory_id: trajectoryId, author: 'ada', author_kind: 'person' },
        })
      ).feedback_id;
    const make = (name: string, rows: DataRecord[]) =>
      createDatasetVersion({ ...scope, name, isHeldOut: false, recipe: null, rows });
    const trajectory = await chat('first');
    const revised = await rate(trajectory, false);
    const thumb = await rate(trajectory, true);
    const messages = [user('first'), { role: 'assistant' as const, content: 'fine' }];
    const set = await make('liked', [{ ...makeConversation({ id: '1', messages }), trajectory_id: trajectory }]);
    const dataset = { name: 'liked', version: 1, digest: set.content_digest };
    const common = { ...scope, name: 'support', baseModel: 'tiny', method: 'sft' as const };
    const model = await registerModel({ ...common, weightsPath: 'tinker://1', run: 'one', step: 5, dataset });
    const child = await registerModel({ ...common, weightsPath: 'tinker://2', parent: 'support@1' });
    const reply = await chat('second', child.modelVersionId);
    return { scope, chat, make, trajectory, revised, thumb, set, model, child, reply };
  }

  test('leads from a rating to every model that learned from it', async () => {
    await using target = await createTarget();
    const { scope, thumb, revised, set, model, child } = await open(target);
    const found = await traceForward({ ...scope, from: { kind: 'feedback', id: thumb } });
    expect(names(found)).toEqual(
      [`dataset:${set.dataset_id}`, 'run:one', `model:${model.modelVersionId}`, `model:${child.modelVersionId}`].sort(),
    );
    expect(found.nodes.find(({ id }) => id === child.modelVersionId)?.distance).toBe(3);
    // What was taken back shaped nothing.
    expect(names(await traceForward({ ...scope, from: { kind: 'feedback', id: revised } }))).toEqual([]);
  });

  test('leads from a served reply to the feedback behind its model', async () => {
    await using target = await createTarget();
    const { scope, thumb, trajectory, reply, set, model, child } = await open(target);
    const found = await traceBack({ ...scope, from: { kind: 'trajectory', id: reply } });
    expect(names(found)).toEqual(
      [
        ...[`model:${child.modelVersionId}`, `model:${model.modelVersionId}`, 'run:one'],
        ...[`dataset:${set.dataset_id}`, `trajectory:${trajectory}`, `feedback:${thumb}`],
      ].sort(),
    );
    expect(names(await traceBack({ ...scope, tenantId: 'other', from: { kind: 'trajectory', id: reply } }))).toEqual(
      [],
    );
  });

  test('does not take the replies of a model for what it holds', async () => {
    await using target = await createTarget();
    const { scope, make, trajectory, reply, child } = await open(target);
    const later = await make('later', [{ ...createPreference('p'), trajectory_id: reply, feedback_ids: ['f9'] }]);
    const forward = names(await traceForward({ ...scope, from: { kind: 'trajectory', id: trajectory } }));
    expect(forward).not.toContain(`trajectory:${reply}`);
    expect(names(await traceForward({ ...scope, from: { kind: 'model', id: child.modelVersionId } }))).toEqual(
      [`trajectory:${reply}`, `dataset:${later.dataset_id}`].sort(),
    );
    const back = names(await traceBack({ ...scope, from: { kind: 'dataset', id: later.dataset_id } }));
    expect(back).toEqual(['feedback:f9', `trajectory:${reply}`]);
  });

  test('goes round in no ring, and ends at its limit', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 'local' };
    const node = (id: number) => ({ kind: 'model' as const, id: `m${id}` });
    const arrows = [0, 1, 2, 3].map((id) => ({
      from: node(id),
      to: node((id + 1) % 4),
      relation: 'parent-of' as const,
    }));
    await recordLineage({ ...scope, arrows });
    await recordLineage({ ...scope, arrows });
    const whole = await traceForward({ ...scope, from: node(0) });
    expect(names(whole)).toEqual(['model:m1', 'model:m2', 'model:m3']);
    expect([whole.isCut, whole.arrows.length]).toEqual([false, 4]);
    expect(await traceForward({ ...scope, from: node(0), limit: 2 })).toMatchObject({ isCut: true });
  });

  test('of what is forgotten names the data sets and the models, and stays', async () => {
    await using target = await createTarget();
    const { scope, trajectory, model } = await open(target);
    expect(await forgetTrajectories({ ...scope, trajectoryId: trajectory })).toEqual({
      trajectories: 1,
      datasets: ['liked@1'],
      models: ['support@1', 'support@2'],
    });
    const still = await traceForward({ ...scope, from: { kind: 'trajectory', id: trajectory } });
    expect(names(still)).toContain(`model:${model.modelVersionId}`);
  });
});
