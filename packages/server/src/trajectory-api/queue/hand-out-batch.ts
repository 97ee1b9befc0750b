import type { QueueChanges } from '@lachesis/store';
import { markStarted } from './register-trainer.ts';
import { formReadyBatches } from './form-batches.ts';
import { endGroup, requeueGroups } from './ready-groups.ts';
import type { OpenBatch } from './state.ts';
import { recordEvent, type Transaction } from './transaction.ts';

type BatchHistoryRecord = QueueChanges['batchHistory'][number];

export type HandOut = { kind: 'unregistered' } | { kind: 'empty' } | { kind: 'batch'; batch: OpenBatch };

export interface HandOutRequest {
  /** sending: a plain trainer's socket; leased: a native trainer. */
  state: 'sending' | 'leased';
  /** Who holds it: the server instance for a plain reply, the consumer for a lease. */
  owner: string;
  leaseMs: number;
}

/** Gives the next batch to a trainer. Until it is confirmed it can come back; each hand-out has its own epoch. */
export function handOutBatch(transaction: Transaction, request: HandOutRequest): HandOut {
  const { state, rules } = transaction;
  if (state.record.registration === null) return { kind: 'unregistered' };
  markStarted(transaction);
  expireLeases(transaction);

  let formed = state.batches.filter((batch) => batch.state === 'formed');
  if (formed.length === 0) {
    formReadyBatches(transaction);
    formed = state.batches.filter((batch) => batch.state === 'formed');
  }
  const batch = rules.deviates ? formed[0] : formed.at(-1);
  if (batch === undefined) return { kind: 'empty' };

  if (rules.deviates) batch.groups.forEach((group) => state.statistics.remove(group));
  batch.state = request.state;
  batch.owner = request.owner;
  batch.epoch += 1;
  batch.attempts += 1;
  batch.leaseExpiresAt = transaction.now + request.leaseMs;
  transaction.changes.batchWrites.set(batch.batchId, batch);
  recordEvent(transaction, request.state === 'leased' ? 'batch-leased' : 'batch-sent', {
    batch_id: batch.batchId,
    epoch: batch.epoch,
    owner: batch.owner,
  });
  return { kind: 'batch', batch };
}

export type LeaseAnswer<T> = { kind: 'stale' } | ({ kind: 'held' } & T);

export function findHeldBatch(transaction: Transaction, batchId: string, epoch: number): OpenBatch | undefined {
  const batch = transaction.state.batches.find((open) => open.batchId === batchId);
  if (batch === undefined || batch.state === 'formed' || !transaction.rules.acceptsEpoch(batch, epoch))
    return undefined;
  return batch;
}

export function renewLease(
  transaction: Transaction,
  request: { batchId: string; epoch: number; leaseMs: number },
): LeaseAnswer<{}> {
  expireLeases(transaction);
  const batch = findHeldBatch(transaction, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  batch.leaseExpiresAt = transaction.now + request.leaseMs;
  transaction.changes.batchWrites.set(batch.batchId, batch);
  transaction.dirty = true;
  return { kind: 'held' };
}

/** The end of a batch: written to a plain trainer's socket (`delivered`) or acknowledged by a native one (`trained`). */
export function finishBatch(
  transaction: Transaction,
  request: {
    batchId: string;
    epoch: number;
    fate: 'delivered' | 'trained';
    step?: number | undefined;
    policyVersion?: number | undefined;
  },
): LeaseAnswer<{}> {
  expireLeases(transaction);
  const batch = findHeldBatch(transaction, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  const { record } = transaction.state;
  for (const group of batch.groups) endGroup(transaction, group, { fate: request.fate, batchId: batch.batchId });
  record.deliveredBatches += 1;
  if (request.policyVersion !== undefined) {
    record.policyVersion = Math.max(record.policyVersion ?? request.policyVersion, request.policyVersion);
  }
  closeBatch(transaction, batch, {
    fate: request.fate,
    step: request.step ?? (record.registration?.startingStep ?? 0) + record.deliveredBatches,
    policyVersion: request.policyVersion ?? null,
  });
  recordEvent(transaction, request.fate === 'trained' ? 'batch-trained' : 'batch-delivered', {
    batch_id: batch.batchId,
    epoch: batch.epoch,
    groups: batch.groups.length,
  });
  return { kind: 'held' };
}

/** A plain reply that never reached its socket: the batch waits again, at its old place. */
export function returnBatch(
  transaction: Transaction,
  request: { batchId: string; epoch: number; reason: string },
): LeaseAnswer<{}> {
  const batch = findHeldBatch(transaction, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  putBack(transaction, batch, request.reason);
  return { kind: 'held' };
}

/** A native trainer could not use the batch. Named groups are counted as the cause; without names all are. */
export function rejectBatch(
  transaction: Transaction,
  request: { batchId: string; epoch: number; reason: string; groupIds: readonly string[] },
): LeaseAnswer<{ quarantined: string[] }> {
  expireLeases(transaction);
  const batch = findHeldBatch(transaction, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  return { kind: 'held', quarantined: failBatch(transaction, batch, request.reason, new Set(request.groupIds)) };
}

/** Takes back what was held too long. The database's clock decides. */
export function expireLeases(transaction: Transaction): void {
  for (const batch of [...transaction.state.batches]) {
    if (batch.leaseExpiresAt === null || batch.leaseExpiresAt > transaction.now) continue;
    if (batch.state === 'sending') putBack(transaction, batch, 'lease-expired');
    else if (batch.state === 'leased') failBatch(transaction, batch, 'lease-expired', new Set());
  }
}

/** Takes back what a server was sending that lives no more. */
export function reclaimSending(transaction: Transaction, isGone: (server: string) => boolean): void {
  for (const batch of transaction.state.batches) {
    if (batch.state === 'sending' && isGone(batch.owner)) putBack(transaction, batch, 'server-restarted');
  }
}

/** A payload that cannot be read any more ends its group; the healthy rest of the batch waits again. */
export function quarantineFromBatch(
  transaction: Transaction,
  request: { batchId: string; epoch: number; groupIds: readonly string[]; reason: string },
): void {
  const batch = findHeldBatch(transaction, request.batchId, request.epoch);
  if (batch !== undefined) dissolveBatch(transaction, batch, new Set(request.groupIds), request.reason);
}

/** Gives a batch up, groups and all, as the original does when it cannot write one. */
export function dropBatch(transaction: Transaction, request: { batchId: string; epoch: number; reason: string }): void {
  const batch = findHeldBatch(transaction, request.batchId, request.epoch);
  if (batch === undefined) return;
  for (const group of batch.groups) {
    endGroup(transaction, group, { fate: 'dropped', reason: request.reason, batchId: batch.batchId });
  }
  closeBatch(transaction, batch, { fate: 'dropped', step: null, policyVersion: null });
}

function putBack(transaction: Transaction, batch: OpenBatch, reason: string): void {
  batch.state = 'formed';
  batch.owner = '';
  batch.leaseExpiresAt = null;
  if (transaction.rules.deviates) batch.groups.forEach((group) => transaction.state.statistics.add(group));
  transaction.changes.batchWrites.set(batch.batchId, batch);
  recordEvent(transaction, 'batch-returned', { batch_id: batch.batchId, epoch: batch.epoch, reason });
}

function failBatch(transaction: Transaction, batch: OpenBatch, reason: string, named: ReadonlySet<string>): string[] {
  const { rules, changes } = transaction;
  const blamed = batch.groups.filter((group) => named.size === 0 || named.has(group.groupId));
  for (const group of blamed) {
    group.failures += 1;
    changes.readyWrites.set(group.groupId, group);
  }
  const poisoned = blamed.filter((group) => group.failures >= rules.maxFailures).map((group) => group.groupId);
  if (poisoned.length === 0) putBack(transaction, batch, reason);
  else dissolveBatch(transaction, batch, new Set(poisoned), `${rules.maxFailures} failures, last: ${reason}`);
  return poisoned;
}

function dissolveBatch(transaction: Transaction, batch: OpenBatch, ended: ReadonlySet<string>, reason: string): void {
  const healthy = batch.groups.filter((group) => !ended.has(group.groupId));
  for (const group of batch.groups) {
    if (ended.has(group.groupId)) endGroup(transaction, group, { fate: 'quarantined', reason, batchId: batch.batchId });
  }
  closeBatch(transaction, batch, {
    fate: healthy.length === 0 ? 'quarantined' : 'dissolved',
    step: null,
    policyVersion: null,
  });
  requeueGroups(transaction, healthy);
}

function closeBatch(
  transaction: Transaction,
  batch: OpenBatch,
  end: { fate: BatchHistoryRecord['fate']; step: number | null; policyVersion: number | null },
): void {
  const { state, changes } = transaction;
  state.batches.splice(state.batches.indexOf(batch), 1);
  changes.batchWrites.delete(batch.batchId);
  changes.batchDeletes.add(batch.batchId);
  changes.batchHistory.push({
    batchId: batch.batchId,
    ordinal: batch.ordinal,
    epoch: batch.epoch,
    attempts: batch.attempts,
    groupIds: batch.groupIds,
    formedAt: batch.formedAt,
    endedAt: transaction.now,
    ...end,
  });
}
