import { expect, test } from 'vitest';
import { isBlobReferenced } from '../blobs/blob-references.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { dropStepRollouts } from './drop-step-rollouts.ts';
import { findGroup, findNewestIncarnation, findStep, listBatchGroups, listSteps } from './find-step-rollouts.ts';
import { listStoredSteps, recordStepRollouts } from './step-rollouts.ts';
import { createBlobs, DIGEST, fillQueue, rolloutsOf, SCOPE } from './trained-queue.fixture.ts';

describeOnEachDialect('the rollouts of steps', (createTarget) => {
  test('are listed with their step, found by item, and their groups come in the order of the batch', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const scope = { ...SCOPE, store };
    expect(await findNewestIncarnation({ ...scope, name: 'r' })).toEqual({
      runId: 'run',
      incarnationId: 'incarnation',
    });
    expect(await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') })).toEqual({ bytes: 23 });
    expect(await listSteps({ ...scope, limit: 10 })).toMatchObject([
      { step: 2, state: 'done', groupCount: 1, rollouts: undefined },
      { step: 1, rollouts: { policyVersion: 0, rewardMean: 0.5, bytes: 23, reportDigest: DIGEST('c') } },
    ]);
    const steps = async (item: string) => (await listSteps({ ...scope, item, limit: 10 })).map(({ step }) => step);
    expect([await steps('50%_"x"\\'), await steps('50%'), await steps('item 2')]).toEqual([[1], [], []]);
    expect((await listSteps({ ...scope, before: 2, limit: 1 })).map(({ step }) => step)).toEqual([1]);
    expect((await findStep({ ...scope, step: 9 }))?.step).toBeUndefined();
    const groups = await listBatchGroups({ ...scope, batchId: 'b1', start: 0, limit: 9 });
    expect(groups.map(({ groupId }) => groupId)).toEqual(['g1', 'g0']);
    expect(await findGroup({ ...scope, groupId: 'g0' })).toMatchObject({ trained: { step: { step: 1 }, index: 1 } });
    expect(await findGroup({ ...scope, runId: 'another', groupId: 'g0' })).toBeUndefined();
  });

  test('a step that is made again replaces what was said of it, and lets go of its blob', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const scope = { ...SCOPE, store };
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') });
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'd') });
    expect(await isBlobReferenced({ store, digest: DIGEST('c') })).toBe(false);
    expect(await isBlobReferenced({ store, digest: DIGEST('d') })).toBe(true);
    expect(await listStoredSteps(scope)).toEqual([{ step: 1, bytes: 23 }]);
  });

  test('are let go of once: payloads that others have stay, rewards stay', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const scope = { ...SCOPE, store };
    const blobs = createBlobs('abcd');
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') });
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(2, 'd') });
    expect(await dropStepRollouts({ ...scope, blobs, step: 1 })).toEqual({ isDropped: true });
    expect(await dropStepRollouts({ ...scope, blobs, step: 1 })).toEqual({ isDropped: false });
    expect([...blobs.digests].map((digest) => digest[0])).toEqual(['b', 'd']);
    expect(await listStoredSteps(scope)).toEqual([{ step: 2, bytes: 13 }]);
    expect((await findStep({ ...scope, step: 1 }))?.rollouts).toMatchObject({ rewardMean: 0.5, reportDigest: null });
    await dropStepRollouts({ ...scope, blobs, step: 2 });
    expect(blobs.digests.size).toBe(0);
  });
});
