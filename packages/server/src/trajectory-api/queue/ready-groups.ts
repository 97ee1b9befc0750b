import type { QueueChanges, ReadyGroupRecord } from '@lachesis/store';
import { recordEvent, type Transaction } from './transaction.ts';

type GroupFate = QueueChanges['fates'][number]['fate'];

/** Puts a new or returning group at the end of the queue. */
export function enqueueGroup(transaction: Transaction, group: ReadyGroupRecord): void {
  const { state, changes } = transaction;
  group.place = 'queue';
  state.queue.push(group);
  state.statistics.add(group);
  state.record.latest = { payloadDigest: group.payloadDigest, nonFinite: group.nonFinite };
  changes.readyWrites.set(group.groupId, group);
  transaction.dirty = true;
}

/** Takes groups that were in a batch back into the queue, where their old positions put them. */
export function requeueGroups(transaction: Transaction, groups: readonly ReadyGroupRecord[]): void {
  const { state, changes } = transaction;
  for (const group of groups) {
    group.place = 'queue';
    state.queue.push(group);
    state.statistics.add(group);
    changes.readyWrites.set(group.groupId, group);
  }
  state.queue.sort((left, right) => left.position - right.position);
  transaction.dirty = true;
}

/** Ends a group that no list of the state holds any more. */
export function endGroup(
  transaction: Transaction,
  group: ReadyGroupRecord,
  end: { fate: GroupFate; reason?: string; batchId?: string },
): void {
  const { state, changes } = transaction;
  const { counts } = state.record;
  state.readyGroups -= 1;
  state.readyBytes -= group.payloadBytes;
  changes.readyWrites.delete(group.groupId);
  changes.readyDeletes.add(group.groupId);
  countFate(transaction, end.fate, end.reason);
  changes.fates.push({
    groupId: group.groupId,
    fate: end.fate,
    reason: end.reason ?? null,
    batchId: end.batchId ?? null,
    at: transaction.now,
  });
  if (end.fate === 'quarantined') {
    recordEvent(transaction, 'group-quarantined', {
      group_id: group.groupId,
      reason: end.reason ?? '',
      total: counts.quarantined,
    });
  }
  transaction.dirty = true;
}

export function countFate(transaction: Transaction, fate: GroupFate, reason: string | undefined): void {
  const { counts } = transaction.state.record;
  if (fate === 'delivered') counts.delivered += 1;
  else if (fate === 'trained') counts.trained += 1;
  else if (fate === 'quarantined') counts.quarantined += 1;
  else counts.dropped[reason ?? 'unknown'] = (counts.dropped[reason ?? 'unknown'] ?? 0) + 1;
}
