import { formBatches } from '../packing/form-batches.ts';
import { formWeightedBatches } from '../packing/form-weighted-batches.ts';
import { describeUnfit, holdsUpBatches } from './find-unpackable.ts';
import { endGroup } from './ready-groups.ts';
import type { OpenBatch, QueueState } from './state.ts';
import { recordEvent, type Transaction } from './transaction.ts';
import { countPacked, readPacked, readShares } from './weights.ts';

/** Forms every batch the queue holds, as the original does when it runs out of formed ones. */
export function formReadyBatches(transaction: Transaction): void {
  const { state, rules } = transaction;
  const batchSize = state.record.registration?.batchSize;
  if (batchSize === undefined || state.queue.length === 0) return;
  if (rules.deviates) quarantineUnpackable(transaction, batchSize);

  const { batches, rest } = pickBatches(transaction, batchSize);
  if (batches.length === 0) return;

  state.queue = rest;
  for (const groups of batches) {
    const batch: OpenBatch = {
      batchId: transaction.nextId(),
      ordinal: state.record.nextBatchOrdinal++,
      state: 'formed',
      epoch: 0,
      attempts: 0,
      owner: '',
      leaseExpiresAt: null,
      groupIds: groups.map((group) => group.groupId),
      formedAt: transaction.now,
      groups,
    };
    state.batches.push(batch);
    state.record.formedBatches += 1;
    transaction.changes.batchWrites.set(batch.batchId, batch);
    if (!rules.deviates) groups.forEach((group) => state.statistics.remove(group));
  }
  recordEvent(transaction, 'batches-formed', { batches: batches.length, groups: batches.flat().length });
}

type Picked = ReturnType<typeof formBatches<QueueState['queue'][number]>>;

/** By the weights of the environments where they differ, else in the order of the original. */
function pickBatches({ state, rules }: Transaction, batchSize: number): Picked {
  const shares = rules.deviates ? readShares(state) : undefined;
  if (shares !== undefined) {
    const { key, lanes } = shares;
    const { batches, rest, packed } = formWeightedBatches({
      ...{ queue: state.queue, batchSize, lanes, packed: readPacked(state, shares, batchSize) },
      laneOf: ({ envId }) => shares.laneOf(envId)?.key,
    });
    if (batches.length > 0) state.record.weighted = { key, packed };
    return { batches, rest };
  }
  const environments = state.environments.map((environment) => ({
    envId: environment.ordinal,
    connected: environment.connected,
    minBatchAllocation: environment.minBatchAllocation,
  }));
  const picked = formBatches(state.queue, batchSize, environments);
  if (rules.deviates && picked.batches.length > 0) {
    const packed = countPacked(state, picked.batches.flat());
    if (packed === undefined) delete state.record.weighted;
    else state.record.weighted = { key: '', packed };
  }
  return picked;
}

/** Sizes that were fine when they came can stop fitting: the trainer registered later, or an environment with a share left. */
function quarantineUnpackable(transaction: Transaction, batchSize: number): void {
  const { state } = transaction;
  const blocked = state.queue.filter((group) => holdsUpBatches(state, group.sequenceCount, batchSize));
  if (blocked.length === 0) return;
  const gone = new Set(blocked);
  state.queue = state.queue.filter((group) => !gone.has(group));
  for (const group of blocked) {
    state.statistics.remove(group);
    endGroup(transaction, group, {
      fate: 'quarantined',
      reason: describeUnfit(group.sequenceCount, batchSize),
    });
  }
}
