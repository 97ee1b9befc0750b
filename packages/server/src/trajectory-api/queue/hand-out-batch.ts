import type { BatchHistoryRecord } from '@lachesis/store';
import { markStarted } from './register-trainer.ts';
import { formReadyBatches } from './form-batches.ts';
import { endGroup, requeueGroups } from './ready-groups.ts';
import type { OpenBatch } from './state.ts';
import { recordEvent, type Turn } from './turn.ts';

export type HandOut = { kind: 'unregistered' } | { kind: 'empty' } | { kind: 'batch'; batch: OpenBatch };

export interface HandOutRequest {
  /** sending: a plain trainer's socket; leased: a native trainer. */
  state: 'sending' | 'leased';
  /** Who holds it: the server instance for a plain reply, the consumer for a lease. */
  owner: string;
  leaseMs: number;
}

/** Gives the next batch to a trainer. Until it is confirmed it can come back; each hand-out has its own epoch. */
export function handOutBatch(turn: Turn, request: HandOutRequest): HandOut {
  const { state, rules } = turn;
  if (state.record.registration === null) return { kind: 'unregistered' };
  markStarted(turn);
  expireLeases(turn);

  let formed = state.batches.filter((batch) => batch.state === 'formed');
  if (formed.length === 0) {
    formReadyBatches(turn);
    formed = state.batches.filter((batch) => batch.state === 'formed');
  }
  const batch = rules.deviates ? formed[0] : formed.at(-1);
  if (batch === undefined) return { kind: 'empty' };

  if (rules.deviates) batch.groups.forEach((group) => state.statistics.remove(group));
  batch.state = request.state;
  batch.owner = request.owner;
  batch.epoch += 1;
  batch.attempts += 1;
  batch.leaseExpiresAt = turn.now + request.leaseMs;
  turn.changes.batchWrites.set(batch.batchId, batch);
  recordEvent(turn, request.state === 'leased' ? 'batch-leased' : 'batch-sent', {
    batch_id: batch.batchId,
    epoch: batch.epoch,
    owner: batch.owner,
  });
  return { kind: 'batch', batch };
}

export type LeaseAnswer<T> = { kind: 'stale' } | ({ kind: 'held' } & T);

export function findHeldBatch(turn: Turn, batchId: string, epoch: number): OpenBatch | undefined {
  const batch = turn.state.batches.find((open) => open.batchId === batchId);
  if (batch === undefined || batch.state === 'formed' || !turn.rules.acceptsEpoch(batch, epoch)) return undefined;
  return batch;
}

export function renewLease(turn: Turn, request: { batchId: string; epoch: number; leaseMs: number }): LeaseAnswer<{}> {
  expireLeases(turn);
  const batch = findHeldBatch(turn, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  batch.leaseExpiresAt = turn.now + request.leaseMs;
  turn.changes.batchWrites.set(batch.batchId, batch);
  turn.dirty = true;
  return { kind: 'held' };
}

/** The end of a batch: written to a plain trainer's socket (`delivered`) or acknowledged by a native one (`trained`). */
export function finishBatch(
  turn: Turn,
  request: {
    batchId: string;
    epoch: number;
    fate: 'delivered' | 'trained';
    step?: number | undefined;
    policyVersion?: number | undefined;
  },
): LeaseAnswer<{}> {
  expireLeases(turn);
  const batch = findHeldBatch(turn, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  const { record } = turn.state;
  for (const group of batch.groups) endGroup(turn, group, { fate: request.fate, batchId: batch.batchId });
  record.deliveredBatches += 1;
  if (request.policyVersion !== undefined) {
    record.policyVersion = Math.max(record.policyVersion ?? request.policyVersion, request.policyVersion);
  }
  closeBatch(turn, batch, {
    fate: request.fate,
    step: request.step ?? (record.registration?.startingStep ?? 0) + record.deliveredBatches,
    policyVersion: request.policyVersion ?? null,
  });
  recordEvent(turn, request.fate === 'trained' ? 'batch-trained' : 'batch-delivered', {
    batch_id: batch.batchId,
    epoch: batch.epoch,
    groups: batch.groups.length,
  });
  return { kind: 'held' };
}

/** A plain reply that never reached its socket: the batch waits again, at its old place. */
export function returnBatch(turn: Turn, request: { batchId: string; epoch: number; reason: string }): LeaseAnswer<{}> {
  const batch = findHeldBatch(turn, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  putBack(turn, batch, request.reason);
  return { kind: 'held' };
}

/** A native trainer could not use the batch. Named groups are counted as the cause; without names all are. */
export function rejectBatch(
  turn: Turn,
  request: { batchId: string; epoch: number; reason: string; groupIds: readonly string[] },
): LeaseAnswer<{ quarantined: string[] }> {
  expireLeases(turn);
  const batch = findHeldBatch(turn, request.batchId, request.epoch);
  if (batch === undefined) return { kind: 'stale' };
  return { kind: 'held', quarantined: failBatch(turn, batch, request.reason, new Set(request.groupIds)) };
}

/** Takes back what was held too long. The database's clock decides. */
export function expireLeases(turn: Turn): void {
  for (const batch of [...turn.state.batches]) {
    if (batch.leaseExpiresAt === null || batch.leaseExpiresAt > turn.now) continue;
    if (batch.state === 'sending') putBack(turn, batch, 'lease-expired');
    else if (batch.state === 'leased') failBatch(turn, batch, 'lease-expired', new Set());
  }
}

/** Takes back what an earlier life of this server instance was sending when it died. */
export function reclaimSending(turn: Turn, owner: string): void {
  for (const batch of turn.state.batches) {
    if (batch.state === 'sending' && batch.owner === owner) putBack(turn, batch, 'server-restarted');
  }
}

/** A payload that cannot be read any more ends its group; the healthy rest of the batch waits again. */
export function quarantineFromBatch(
  turn: Turn,
  request: { batchId: string; epoch: number; groupIds: readonly string[]; reason: string },
): void {
  const batch = findHeldBatch(turn, request.batchId, request.epoch);
  if (batch !== undefined) dissolveBatch(turn, batch, new Set(request.groupIds), request.reason);
}

/** Gives a batch up, groups and all, as the original does when it cannot write one. */
export function dropBatch(turn: Turn, request: { batchId: string; epoch: number; reason: string }): void {
  const batch = findHeldBatch(turn, request.batchId, request.epoch);
  if (batch === undefined) return;
  for (const group of batch.groups) {
    endGroup(turn, group, { fate: 'dropped', reason: request.reason, batchId: batch.batchId });
  }
  closeBatch(turn, batch, { fate: 'dropped', step: null, policyVersion: null });
}

function putBack(turn: Turn, batch: OpenBatch, reason: string): void {
  batch.state = 'formed';
  batch.owner = '';
  batch.leaseExpiresAt = null;
  if (turn.rules.deviates) batch.groups.forEach((group) => turn.state.statistics.add(group));
  turn.changes.batchWrites.set(batch.batchId, batch);
  recordEvent(turn, 'batch-returned', { batch_id: batch.batchId, epoch: batch.epoch, reason });
}

function failBatch(turn: Turn, batch: OpenBatch, reason: string, named: ReadonlySet<string>): string[] {
  const { rules, changes } = turn;
  const blamed = batch.groups.filter((group) => named.size === 0 || named.has(group.groupId));
  for (const group of blamed) {
    group.failures += 1;
    changes.readyWrites.set(group.groupId, group);
  }
  const poisoned = blamed.filter((group) => group.failures >= rules.maxFailures).map((group) => group.groupId);
  if (poisoned.length === 0) putBack(turn, batch, reason);
  else dissolveBatch(turn, batch, new Set(poisoned), `${rules.maxFailures} failures, last: ${reason}`);
  return poisoned;
}

function dissolveBatch(turn: Turn, batch: OpenBatch, ended: ReadonlySet<string>, reason: string): void {
  const healthy = batch.groups.filter((group) => !ended.has(group.groupId));
  for (const group of batch.groups) {
    if (ended.has(group.groupId)) endGroup(turn, group, { fate: 'quarantined', reason, batchId: batch.batchId });
  }
  closeBatch(turn, batch, {
    fate: healthy.length === 0 ? 'quarantined' : 'dissolved',
    step: null,
    policyVersion: null,
  });
  requeueGroups(turn, healthy);
}

function closeBatch(
  turn: Turn,
  batch: OpenBatch,
  end: { fate: BatchHistoryRecord['fate']; step: number | null; policyVersion: number | null },
): void {
  const { state, changes } = turn;
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
    endedAt: turn.now,
    ...end,
  });
}
