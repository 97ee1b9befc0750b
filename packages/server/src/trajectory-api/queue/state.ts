import type { EnvironmentRecord, QueueSnapshot, ReadyGroupRecord } from '@lachesis/store';
import { createQueueStateRecord } from '@lachesis/store';
import { QueueStatistics } from '../packing/queue-statistics.ts';

type OpenBatchRecord = QueueSnapshot['batches'][number];
type PostReceiptRecord = QueueSnapshot['receipts'][number];
type QueueStateRecord = QueueSnapshot['state'];

export interface OpenBatch extends OpenBatchRecord {
  groups: ReadyGroupRecord[];
}

export interface Receipt extends PostReceiptRecord {
  /**
   * open: its request is being answered on a live socket, so an equal body is another group; lost: the socket closed
   * before the reply was flushed, or an earlier life of the server took it, so an equal body is the retry.
   */
  status: 'open' | 'lost';
}

/** The queue of one run incarnation in memory: a cache of its rows at `version`. */
export interface QueueState {
  tenantId: string;
  runId: string;
  runName: string;
  incarnationId: string;
  ordinal: number;
  /** 0 until the run has rows. */
  version: number;
  record: QueueStateRecord;
  environments: EnvironmentRecord[];
  /** Grows whenever an environment comes, goes or changes its connection: sums over all of them can be kept till then. */
  environmentsRevision: number;
  queue: ReadyGroupRecord[];
  /** By `env_id` as sent, like the original's dictionary. */
  buffers: Map<number, ReadyGroupRecord[]>;
  /** In the order they were formed. */
  batches: OpenBatch[];
  receipts: Map<string, Receipt>;
  /** What `/status-env` counts: the queue, and outside strict runs the formed batches too. */
  statistics: QueueStatistics;
  readyGroups: number;
  readyBytes: number;
}

export interface EmptyQueueOptions {
  tenantId: string;
  runId: string;
  runName: string;
  incarnationId: string;
}

export function createEmptyQueue(options: EmptyQueueOptions): QueueState {
  return {
    ...options,
    ordinal: 0,
    version: 0,
    record: createQueueStateRecord(),
    environments: [],
    environmentsRevision: 0,
    queue: [],
    buffers: new Map(),
    batches: [],
    receipts: new Map(),
    statistics: new QueueStatistics(),
    readyGroups: 0,
    readyBytes: 0,
  };
}

export interface RestoreOptions {
  /** Whether `/status-env` counts formed batches, as in the rules of the run. */
  countsFormed: boolean;
  /** Whether a server that lives is answering the POST of a receipt right now; after a restart it answers none. */
  isAnswering?: ((receipt: PostReceiptRecord) => boolean) | undefined;
}

/** Rebuilds the state from its rows. */
export function restoreQueue(snapshot: QueueSnapshot, options: RestoreOptions): QueueState {
  const state = createEmptyQueue(snapshot);
  state.ordinal = snapshot.ordinal;
  state.version = snapshot.version;
  state.record = snapshot.state;
  state.environments = [...snapshot.environments].sort((left, right) => left.ordinal - right.ordinal);

  const loose = new Map(snapshot.groups.map((group) => [group.groupId, group]));
  for (const batch of [...snapshot.batches].sort((left, right) => left.ordinal - right.ordinal)) {
    const groups = batch.groupIds.map((groupId) => {
      const group = loose.get(groupId);
      if (group === undefined) throw new Error(`batch ${batch.batchId} names group ${groupId}, which has no row`);
      loose.delete(groupId);
      return group;
    });
    state.batches.push({ ...batch, groups });
    if (options.countsFormed && batch.state === 'formed') groups.forEach((group) => state.statistics.add(group));
  }
  for (const group of [...loose.values()].sort((left, right) => left.position - right.position)) {
    if (group.place === 'queue') {
      state.queue.push(group);
      state.statistics.add(group);
    } else {
      bufferOf(state, group.envId ?? 0).push(group);
    }
  }
  for (const group of snapshot.groups) {
    state.readyGroups += 1;
    state.readyBytes += group.payloadBytes;
  }
  for (const receipt of snapshot.receipts) {
    const status = options.isAnswering?.(receipt) === true ? 'open' : 'lost';
    state.receipts.set(receipt.receiptId, { ...receipt, status });
  }
  return state;
}

export function bufferOf(state: QueueState, envId: number): ReadyGroupRecord[] {
  let buffer = state.buffers.get(envId);
  if (buffer === undefined) {
    buffer = [];
    state.buffers.set(envId, buffer);
  }
  return buffer;
}

/** The step the wire shows: batches that left, or, to the letter of the original, batches formed. */
export function currentStep(state: QueueState, options: { countsFormed: boolean }): number {
  const { registration, formedBatches, deliveredBatches } = state.record;
  return (registration?.startingStep ?? 0) + (options.countsFormed ? deliveredBatches : formedBatches);
}

export function sequencesIn(groups: readonly ReadyGroupRecord[]): number {
  return groups.reduce((sum, group) => sum + group.sequenceCount, 0);
}
