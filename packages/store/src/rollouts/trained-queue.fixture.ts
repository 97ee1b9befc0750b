import { createIdSource } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';
import { createQueueChanges, createQueueStateRecord } from '../queue/records.ts';
import { planQueueWrite } from '../queue/write-queue.ts';
import { openStepLedger } from '../training/step-ledger.ts';
import type { StepRollouts } from './step-rollouts.ts';

export const SCOPE = { tenantId: 'local', runId: 'run', incarnationId: 'incarnation' };
export const DIGEST = (letter: string): string => letter.repeat(64);

/** Three groups in two batches; the last two have the same payload. */
export async function fillQueue(store: Store): Promise<void> {
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

export const rolloutsOf = (step: number, letter: string): StepRollouts => ({
  ...{ step, batchId: `b${step}`, policyVersion: step - 1, groupCount: 1, rolloutCount: 2, trainedTokens: 6 },
  ...{ rewardMean: 0.5, rewardLow: 0, rewardHigh: 1, items: [`item ${step}`, '50%_"x"\\'] },
  report: { digest: DIGEST(letter), bytes: 3 },
  logprobs: undefined,
});

export function createBlobs(letters: string): BlobStore & { digests: Set<string> } {
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
