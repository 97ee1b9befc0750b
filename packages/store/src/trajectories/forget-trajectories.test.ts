import { readFile } from 'node:fs/promises';
import type { ConversationRecord } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createDatasetVersion } from '../datasets/create-dataset-version.ts';
import { createConversation } from '../datasets/records.fixture.ts';
import { readDatasetRows } from '../datasets/read-dataset-rows.ts';
import { listFeedback } from '../feedback/list-feedback.ts';
import { writeFeedback } from '../feedback/write-feedback.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import type { TestTarget } from '../testing/test-stores.fixture.ts';
import { assistant, createCall, createMemoryBlobs, user } from './captures.fixture.ts';
import { expireTrajectories } from './expire-trajectories.ts';
import { forgetTrajectories } from './forget-trajectories.ts';
import { listTrajectories } from './list-trajectories.ts';
import { readTrajectory } from './read-trajectory.ts';
import { recordCaptures } from './captures/record-captures.ts';

const LONG = `canarylong ${'x y '.repeat(10_000)}`;

async function open(target: TestTarget) {
  return { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
}

describeOnEachDialect('a forgotten trajectory', (createTarget) => {
  test('is gone with its words, feedback and blobs, and does not come back', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const records = [
      createCall({ trajectory: 'k', messages: [user('canaryword'), user(LONG)], reply: assistant('only mine') }),
      createCall({ trajectory: 'other', messages: [user('ordinary'), user(LONG)] }),
    ];
    const [mine] = await recordCaptures({ ...scope, records });
    const trajectoryId = mine!.trajectory_id;
    await writeFeedback({
      ...scope,
      feedback: {
        kind: 'text',
        comment: 'canarycomment',
        trajectory_id: trajectoryId,
        author: 'ada',
        author_kind: 'person',
      },
    });
    expect(scope.blobs.files.size).toBe(1);
    expect(await forgetTrajectories({ ...scope, trajectoryId })).toEqual({ trajectories: 1, datasets: [], models: [] });
    expect(await readTrajectory({ ...scope, trajectoryId })).toBeUndefined();
    expect((await listTrajectories({ ...scope, filter: { text: 'canaryword' }, limit: 5 })).trajectories).toEqual([]);
    expect(await listFeedback({ ...scope, trajectoryId, withHistory: true })).toEqual([]);
    // The other one has the same long text.
    expect(scope.blobs.files.size).toBe(1);

    const again = await recordCaptures({ ...scope, records: [records[0]!] });
    expect(again).toMatchObject([{ trajectory_id: trajectoryId, is_repeat: true }]);
    // Never seen before, but from the time before.
    const late = createCall({ trajectory: 'k', sequence: 1, messages: [user('late')] });
    expect(await recordCaptures({ ...scope, records: [late] })).toMatchObject([{ turn_index: null, is_repeat: true }]);
    const later = createCall({ trajectory: 'k', sequence: 2, messages: [user('anew')], at: Date.now() + 60_000 });
    const [fresh] = await recordCaptures({ ...scope, records: [later] });
    expect(fresh?.trajectory_id).not.toBe(trajectoryId);
    expect((await readTrajectory({ ...scope, trajectoryId: fresh!.trajectory_id }))?.gaps).toEqual([]);

    expect(await forgetTrajectories({ ...scope, trajectoryId: 'other' })).toMatchObject({ trajectories: 1 });
    expect(scope.blobs.files.size).toBe(0);
    expect(await forgetTrajectories({ ...scope, trajectoryId: 'other' })).toMatchObject({ trajectories: 0 });
    if (target.address.sqlitePath !== undefined) {
      const files = await Promise.all(
        ['', '-wal'].map((suffix) => readFile(`${target.address.sqlitePath}${suffix}`, 'latin1')),
      );
      for (const canary of ['canaryword', 'canarycomment', 'canarylong']) expect(files.join('')).not.toContain(canary);
    }
  });

  test('is everything of one person, and of nobody else', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const call = (name: string | null, sequence: number) =>
      createCall({ user: name, sequence, messages: [user(`${sequence}`)] });
    await recordCaptures({ ...scope, records: [call('ada', 0), call('ada', 1), call('bob', 2), call(null, 3)] });
    expect(await forgetTrajectories({ ...scope, user: 'ada' })).toMatchObject({ trajectories: 2 });
    expect((await listTrajectories({ ...scope, filter: {}, limit: 9 })).trajectories.map((one) => one.user)).toEqual([
      null,
      'bob',
    ]);
    expect(await recordCaptures({ ...scope, records: [call('ada', 4)] })).toMatchObject([{ is_repeat: true }]);
    expect(await forgetTrajectories({ ...scope, tenantId: 'other', user: 'bob' })).toMatchObject({ trajectories: 0 });
  });

  test('is named with the data sets it is in, and its rows lose their text', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const [receipt] = await recordCaptures({
      ...scope,
      records: [createCall({ trajectory: 'k', messages: [user('q')] })],
    });
    const rows: ConversationRecord[] = [
      createConversation('stays'),
      { ...createConversation('goes'), trajectory_id: receipt!.trajectory_id },
      createConversation('stays too'),
    ];
    const dataset = await createDatasetVersion({ ...scope, name: 'mine', isHeldOut: false, recipe: {}, rows });
    expect(await forgetTrajectories({ ...scope, trajectoryId: receipt!.trajectory_id })).toEqual({
      trajectories: 1,
      datasets: ['mine@1'],
      models: [],
    });
    const left = await Array.fromAsync(readDatasetRows({ ...scope, datasetId: dataset.dataset_id }));
    expect(left).toEqual([rows[0], rows[2]]);
    expect(scope.blobs.files.size).toBe(1);
  });

  test('by age leaves what is younger', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const records = [1000, 2000, 3000].map((at, sequence) =>
      createCall({ at, sequence, messages: [user(LONG), user(`n${at}`)] }),
    );
    await recordCaptures({ ...scope, records });
    expect(await expireTrajectories({ ...scope, olderThan: 2500 })).toEqual({ trajectories: 2 });
    expect(
      (await listTrajectories({ ...scope, filter: {}, limit: 9 })).trajectories.map((one) => one.started_at),
    ).toEqual([3000]);
    expect(scope.blobs.files.size).toBe(1);
    expect(await expireTrajectories({ ...scope, olderThan: 2500 })).toEqual({ trajectories: 0 });
  });
});
