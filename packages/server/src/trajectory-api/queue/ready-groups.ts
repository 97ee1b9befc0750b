import type { GroupFate, ReadyGroupRecord } from '@lachesis/store';
import { recordEvent, type Turn } from './turn.ts';

/** Puts a new or returning group at the end of the queue. */
export function enqueueGroup(turn: Turn, group: ReadyGroupRecord): void {
  const { state, changes } = turn;
  group.place = 'queue';
  state.queue.push(group);
  state.statistics.add(group);
  state.record.latest = { payloadDigest: group.payloadDigest, nonFinite: group.nonFinite };
  changes.readyWrites.set(group.groupId, group);
  turn.dirty = true;
}

/** Takes groups that were in a batch back into the queue, where their old positions put them. */
export function requeueGroups(turn: Turn, groups: readonly ReadyGroupRecord[]): void {
  const { state, changes } = turn;
  for (const group of groups) {
    group.place = 'queue';
    state.queue.push(group);
    state.statistics.add(group);
    changes.readyWrites.set(group.groupId, group);
  }
  state.queue.sort((left, right) => left.position - right.position);
  turn.dirty = true;
}

/** Ends a group that no list of the state holds any more. */
export function endGroup(
  turn: Turn,
  group: ReadyGroupRecord,
  end: { fate: GroupFate; reason?: string; batchId?: string },
): void {
  const { state, changes } = turn;
  const { counts } = state.record;
  state.readyGroups -= 1;
  state.readyBytes -= group.payloadBytes;
  changes.readyWrites.delete(group.groupId);
  changes.readyDeletes.add(group.groupId);
  countFate(turn, end.fate, end.reason);
  changes.fates.push({
    groupId: group.groupId,
    fate: end.fate,
    reason: end.reason ?? null,
    batchId: end.batchId ?? null,
    at: turn.now,
  });
  if (end.fate === 'quarantined') {
    recordEvent(turn, 'group-quarantined', {
      group_id: group.groupId,
      reason: end.reason ?? '',
      total: counts.quarantined,
    });
  }
  turn.dirty = true;
}

export function countFate(turn: Turn, fate: GroupFate, reason: string | undefined): void {
  const { counts } = turn.state.record;
  if (fate === 'delivered') counts.delivered += 1;
  else if (fate === 'trained') counts.trained += 1;
  else if (fate === 'quarantined') counts.quarantined += 1;
  else counts.dropped[reason ?? 'unknown'] = (counts.dropped[reason ?? 'unknown'] ?? 0) + 1;
}
