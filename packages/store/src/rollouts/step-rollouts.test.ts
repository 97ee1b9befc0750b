import { createIdSource } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { isBlobReferenced } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';
import { createQueueChanges, createQueueStateRecord } from '../queue/records.ts';
import { planQueueWrite } from '../queue/write-queue.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { openStepLedger } from '../training/step-ledger.ts';
import { dropStepRollouts } from './drop-step-rollouts.ts';
import { findGroup, findNewestIncarnation, findStep, listBatchGroups, listSteps } from './find-step-rollouts.ts';
import { keepPayloads, readKeptDays, retainPayloads } from './retain-payloads.ts';
import { listStoredSteps, recordStepRollouts, type StepRollouts } from './step-rollouts.ts';

const SCOPE = { tenantId: 'local', runId: 'run', incarnationId: 'incarnation' };
const DIGEST = (letter: string): string => letter.repeat(64);

/** Three groups in two batches; the last two have the same payload. */
async function fillQueue(store: Store): Promise<void> {
  const changes = createQueueChanges();
  const place = { api: 'native', environmentId: null, envId: null, rolloutId: null, sequenceCount: 2 } as const;
  for (const [position, letter] of ['a', 'b', 'b'].entries()) {
    changes.groups.push({
      ...{ ...place, groupId: `g${position}`, position, tokenCount: 8, longestSequence: 4 },
      ...{ payloadDigest: DIGEST(letter), payloadBytes: 10, bodyDigest: null, idempotencyKey: null, outcome: 'scored' },
      ...{ reason: null, environmentDigest: null, verifierDigest: null, split: 'train', consent: 'unspecified' },
      ...{ policyVersionMin: null, policyVersionMax: null, stepAtArrival: 0, receivedAt: 5 },
    });
  }
  for (const [batchId, groupIds] of Object.entries({ b1: ['g1', 'g0'], b2: ['g2'] })) {
    const ended = { ordinal: 0, fate: 'trained', epoch: 1, attempts: 1, step: null, policyVersion: null } as const;
    changes.batchHistory.push({ ...ended, batchId, groupIds, formedAt: 0, endedAt: 1 });
    for (const groupId of groupIds) changes.fates.push({ groupId, fate: 'trained', reason: null, batchId, at: 1 });
  }
  const queue = { ...SCOPE, runName: 'r', ordinal: 0, version: 0, record: createQueueStateRecord() };
  await store.commit(planQueueWrite(store.db, queue, changes, 1));
  const ledger = openStepLedger({ ...SCOPE, store, ids: createIdSource() });
  for (const step of [1, 2]) {
    await ledger.open({ step, batchId: `b${step}`, epoch: 1, groupCount: step === 1 ? 2 : 1 });
    await ledger.advance(step, { state: 'done' });
  }
}

const rolloutsOf = (step: number, letter: string): StepRollouts => ({
  ...{ step, batchId: `b${step}`, policyVersion: step - 1, groupCount: 1, rolloutCount: 2, trainedTokens: 6 },
  ...{ rewardMean: 0.5, rewardLow: 0, rewardHigh: 1, items: [`item ${step}`, '50%_"x"\\'] },
  report: { digest: DIGEST(letter), bytes: 3 },
  logprobs: undefined,
});

function createBlobs(letters: string): BlobStore & { digests: Set<string> } {
  const digests = new Set(letters.split('').map(DIGEST));
  return {
    digests,
    put: async (digest) => void digests.add(digest),
    get: async (digest) => {
      if (!digests.has(digest)) throw new BlobMissingError({ digest });
      return new Uint8Array();
    },
    remove: async (digest) => void digests.delete(digest),
    list: () => {
      throw new Error('not asked for');
    },
  };
}

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

  test('are let go of when their run says so, and stay when nobody did', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const scope = { ...SCOPE, store };
    const blobs = createBlobs('abcd');
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') });
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(2, 'd') });
    const old = (await store.now()) - 40 * 86_400_000;
    await store.db.updateTable('step_rollouts').set({ recorded_at: old }).where('step', '=', 1).execute();
    expect(await readKeptDays(scope)).toBeNull();
    expect(await retainPayloads({ store, blobs })).toEqual({ runs: 0, steps: 0, bytes: 0 });
    await keepPayloads({ ...scope, days: 30 });
    const found = { runs: 1, steps: 1, bytes: 23 };
    expect(await retainPayloads({ store, blobs, isDryRun: true })).toEqual(found);
    expect(blobs.digests.size).toBe(4);
    expect(await retainPayloads({ store, blobs })).toEqual(found);
    expect((await listStoredSteps(scope)).map(({ step }) => step)).toEqual([2]);
    // The payload that the second step has too stays.
    expect([...blobs.digests].toSorted()).toEqual([DIGEST('b'), DIGEST('d')]);
    expect(await retainPayloads({ store, blobs })).toEqual({ runs: 0, steps: 0, bytes: 0 });
    await keepPayloads({ ...scope, days: null });
    expect(await readKeptDays(scope)).toBeNull();
  });
});
