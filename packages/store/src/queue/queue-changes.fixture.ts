import { chainEvent } from '../events/chain-event.ts';
import { createQueueChanges, createQueueStateRecord } from './records.ts';
import type {
  EnvironmentRecord,
  GroupHistoryRecord,
  OpenBatchRecord,
  QueueChanges,
  ReadyGroupRecord,
} from './records.ts';
import type { QueueIdentity } from './write-queue.ts';

export function makeIdentity(identity: Partial<QueueIdentity> = {}): QueueIdentity {
  return {
    tenantId: 't',
    runId: 'run',
    runName: 'default',
    incarnationId: 'first',
    ordinal: 0,
    version: 0,
    record: createQueueStateRecord(),
    ...identity,
  };
}

export function makeReadyGroup(groupId: string, group: Partial<ReadyGroupRecord> = {}): ReadyGroupRecord {
  return {
    groupId,
    position: 0,
    place: 'queue',
    envId: null,
    sequenceCount: 4,
    tokenCount: 32,
    payloadDigest: 'digest',
    payloadBytes: 100,
    failures: 0,
    nonFinite: false,
    ...group,
  };
}

export function makeHistory(groupId: string, group: Partial<GroupHistoryRecord> = {}): GroupHistoryRecord {
  return {
    groupId,
    position: 0,
    api: 'native',
    environmentId: null,
    envId: null,
    rolloutId: null,
    sequenceCount: 4,
    tokenCount: 32,
    longestSequence: 8,
    payloadDigest: 'digest',
    payloadBytes: 100,
    bodyDigest: 'body',
    idempotencyKey: null,
    outcome: 'scored',
    reason: null,
    environmentDigest: null,
    verifierDigest: null,
    split: 'train',
    consent: 'unspecified',
    policyVersionMin: null,
    policyVersionMax: null,
    stepAtArrival: 0,
    receivedAt: 1_000,
    ...group,
  };
}

export function makeBatch(batchId: string, batch: Partial<OpenBatchRecord> = {}): OpenBatchRecord {
  return {
    batchId,
    ordinal: 0,
    state: 'formed',
    epoch: 0,
    attempts: 0,
    owner: '',
    leaseExpiresAt: null,
    groupIds: [],
    formedAt: 1_000,
    ...batch,
  };
}

export function makeEnvironment(ordinal: number, environment: Partial<EnvironmentRecord> = {}): EnvironmentRecord {
  return {
    environmentId: `environment-${ordinal}`,
    ordinal,
    desiredName: 'math',
    realName: `math_${ordinal}`,
    weight: 0.5,
    maxContextLen: 64,
    groupSize: 4,
    minBatchAllocation: 0.25,
    connected: true,
    disconnectReason: null,
    registeredAt: 1_000,
    heardAt: 2_000,
    ...environment,
  };
}

/** Changes of every kind at once. */
export function makeFullChanges(): QueueChanges {
  const changes = createQueueChanges();
  const events = { tenantId: 't', runId: 'run', cursor: 1, kind: 'groups-accepted', at: 1_000, data: { count: 2 } };
  changes.groups.push(makeHistory('a', { position: 0 }), makeHistory('b', { position: 1 }), makeHistory('poison'));
  changes.readyWrites.set('a', makeReadyGroup('a', { position: 0, envId: -1, nonFinite: true }));
  changes.readyWrites.set('b', makeReadyGroup('b', { position: 1, place: 'buffer', envId: 0, failures: 2 }));
  changes.fates.push({ groupId: 'poison', fate: 'quarantined', reason: 'not-finite', batchId: null, at: 1_000 });
  changes.batchWrites.set(
    'batch',
    makeBatch('batch', { groupIds: ['a'], state: 'leased', epoch: 3, leaseExpiresAt: 9_000, owner: 'me' }),
  );
  changes.receiptWrites.set('r', {
    receiptId: 'r',
    environmentKey: '0',
    bodyDigest: 'body',
    reply: '{"ok":1}',
    receivedAt: 1_000,
    answeredBy: 'b',
  });
  changes.environmentWrites.set(0, makeEnvironment(0));
  changes.environmentWrites.set(
    1,
    makeEnvironment(1, { connected: false, disconnectReason: 'silent', minBatchAllocation: null }),
  );
  changes.idempotency.push({ key: 'k', bodyDigest: 'body', reply: '{}', createdAt: 1_000 });
  changes.events.push({
    cursor: 1,
    kind: events.kind,
    at: 1_000,
    data: events.data,
    previousHash: '',
    hash: chainEvent('', events),
  });
  return changes;
}
