import type { QueueChanges, ReadyGroupRecord } from '@lachesis/store';
import { releaseFromBuffer } from '../packing/release-from-buffer.ts';
import { resolveEnvironment } from './environments.ts';
import { findUnpackable, sizeOf } from './find-unpackable.ts';
import { countFate, enqueueGroup } from './ready-groups.ts';
import { bufferOf, currentStep, sequencesIn, type Receipt } from './state.ts';
import { recordEvent, type Transaction } from './transaction.ts';

type GroupHistoryRecord = QueueChanges['groups'][number];

/** A group whose payload is on disk already. */
export interface IncomingGroup {
  groupId: string;
  envId: number | null;
  sequenceCount: number;
  /** Rollouts that its sequences name; absent when they name none, as on the Atropos API, and then each sequence is one. */
  rolloutCount?: number | undefined;
  tokenCount: number;
  longestSequence: number;
  payloadDigest: string;
  payloadBytes: number;
  nonFiniteFields: readonly string[];
  rolloutId: string | null;
  outcome: GroupHistoryRecord['outcome'];
  reason: string | null;
  environmentDigest: string | null;
  verifierDigest: string | null;
  split: GroupHistoryRecord['split'];
  consent: string;
  policyVersionMin: number | null;
  policyVersionMax: number | null;
}

export type AcceptedGroup = { groupId: string } & (
  | { status: 'received' }
  | { status: 'buffered'; bufferSize: number }
  | { status: 'quarantined'; reason: string }
  /** Kept in the history only: a failed or abstained rollout, or one of the evaluation split. */
  | { status: 'recorded'; reason: string }
);

export interface AcceptRequest {
  api: GroupHistoryRecord['api'];
  groups: readonly IncomingGroup[];
  /** Hash of the inflated body; with the environment it recognises a plain client's retry. */
  bodyDigest: string;
  idempotencyKey: string | null;
  /** Present on the Atropos API: the receipt that is kept until the reply is flushed. */
  receiptId: string | null;
  /** Of several servers the one that answers; null, as when left out, where one is alone. */
  answeredBy?: string | null | undefined;
  /** Whether the sender has hung up meanwhile: then the same body is its retry, also within this transaction. */
  hasHungUp?: (() => boolean) | undefined;
  /** Turns the outcome into the reply that is remembered for a retry. */
  renderReply(accepted: readonly AcceptedGroup[]): string;
}

export interface AcceptResult {
  reply: string;
  /** The receipt to confirm once the reply is flushed. */
  receiptId: string | null;
  replayed: boolean;
  accepted: readonly AcceptedGroup[];
}

export function acceptGroups(transaction: Transaction, request: AcceptRequest): AcceptResult {
  const earlier = request.receiptId === null ? undefined : findEarlierAttempt(transaction, request, request.receiptId);
  if (earlier !== undefined) {
    earlier.status = 'open';
    return { reply: earlier.reply, receiptId: earlier.receiptId, replayed: true, accepted: [] };
  }

  const accepted = request.groups.map((group) => acceptGroup(transaction, request, group));
  const reply = request.renderReply(accepted);
  if (request.receiptId !== null) recordReceipt(transaction, request, request.receiptId, reply);
  if (request.idempotencyKey !== null) {
    transaction.changes.idempotency.push({
      key: request.idempotencyKey,
      bodyDigest: request.bodyDigest,
      reply,
      createdAt: transaction.now,
    });
  }
  if (request.groups.length > 0) {
    recordEvent(transaction, 'groups-accepted', {
      api: request.api,
      groups: request.groups.map((group) => [group.groupId, group.payloadDigest]),
    });
  }
  return { reply, receiptId: request.receiptId, replayed: false, accepted };
}

export function environmentKeyOf(groups: readonly IncomingGroup[]): string {
  return [...new Set(groups.map((group) => String(group.envId)))].sort().join(',');
}

function findEarlierAttempt(transaction: Transaction, request: AcceptRequest, receiptId: string): Receipt | undefined {
  // The server that answers asked before, and did not hear that it was written.
  const own = transaction.state.receipts.get(receiptId);
  if (own !== undefined) return own;
  const environmentKey = environmentKeyOf(request.groups);
  const { acceptsReceipt, receiptWindowMs } = transaction.rules;
  for (const receipt of transaction.state.receipts.values()) {
    if (receipt.bodyDigest !== request.bodyDigest || receipt.environmentKey !== environmentKey) continue;
    if (acceptsReceipt(receipt, transaction.now, receiptWindowMs)) return receipt;
  }
  return undefined;
}

/** The servers that are answering an equal body right now, as far as the rows know. */
export function listAnswering(
  { receipts }: Transaction['state'],
  { bodyDigest, groups }: Pick<AcceptRequest, 'bodyDigest' | 'groups'>,
): string[] {
  const environmentKey = environmentKeyOf(groups);
  const equal = [...receipts.values()].filter(
    (receipt) => receipt.bodyDigest === bodyDigest && receipt.environmentKey === environmentKey,
  );
  const servers = equal.map(({ status, answeredBy }) => (status === 'open' ? answeredBy : null));
  return [...new Set(servers)].filter((server) => server !== null);
}

function recordReceipt(transaction: Transaction, request: AcceptRequest, receiptId: string, reply: string): void {
  const receipt: Receipt = {
    receiptId,
    environmentKey: environmentKeyOf(request.groups),
    bodyDigest: request.bodyDigest,
    reply,
    receivedAt: transaction.now,
    answeredBy: request.answeredBy ?? null,
    status: request.hasHungUp?.() === true ? 'lost' : 'open',
  };
  transaction.state.receipts.set(receiptId, receipt);
  transaction.changes.receiptWrites.set(receiptId, receipt);
}

/** The reply reached the socket: from now on an equal body is another group. */
export function confirmReceipt(transaction: Transaction, receiptId: string): void {
  if (!transaction.state.receipts.delete(receiptId)) return;
  transaction.changes.receiptWrites.delete(receiptId);
  transaction.changes.receiptsLost.delete(receiptId);
  transaction.changes.receiptDeletes.add(receiptId);
  transaction.dirty = true;
}

/** The socket closed first: the client may send the same body again. */
export function loseReceipt(transaction: Transaction, receiptId: string): void {
  const receipt = transaction.state.receipts.get(receiptId);
  if (receipt === undefined) return;
  receipt.status = 'lost';
  if (receipt.answeredBy === null) return;
  // Where several servers answer, the next owner of the run has to know it too.
  receipt.answeredBy = null;
  if (!transaction.changes.receiptWrites.has(receiptId)) transaction.changes.receiptsLost.add(receiptId);
  transaction.dirty = true;
}

/** Gives up what servers were answering that live no more. */
export function loseReceiptsOf(transaction: Transaction, isGone: (server: string) => boolean): void {
  for (const { receiptId, answeredBy } of transaction.state.receipts.values()) {
    if (answeredBy !== null && isGone(answeredBy)) loseReceipt(transaction, receiptId);
  }
}

/** Forgets receipts that are too old to be recognised. */
export function expireReceipts(transaction: Transaction): void {
  for (const receipt of transaction.state.receipts.values()) {
    if (transaction.now - receipt.receivedAt > transaction.rules.receiptWindowMs)
      confirmReceipt(transaction, receipt.receiptId);
  }
}

function acceptGroup(transaction: Transaction, request: AcceptRequest, incoming: IncomingGroup): AcceptedGroup {
  const { state, changes } = transaction;
  const { record } = state;
  const position = record.nextPosition++;
  record.counts.produced += 1;
  changes.groups.push({
    ...incoming,
    position,
    api: request.api,
    environmentId: resolveEnvironment(state, incoming.envId)?.environmentId ?? null,
    bodyDigest: request.bodyDigest,
    idempotencyKey: request.idempotencyKey,
    stepAtArrival: currentStep(state, { countsFormed: transaction.rules.deviates }),
    receivedAt: transaction.now,
  });
  transaction.dirty = true;

  const unqueued = findReasonNotToQueue(incoming);
  if (unqueued !== null) {
    countFate(transaction, 'dropped', unqueued);
    changes.fates.push({
      groupId: incoming.groupId,
      fate: 'dropped',
      reason: unqueued,
      batchId: null,
      at: transaction.now,
    });
    return { groupId: incoming.groupId, status: 'recorded', reason: unqueued };
  }
  const reason = transaction.rules.deviates ? findUnpackable(state, incoming) : null;
  if (reason !== null) {
    countFate(transaction, 'quarantined', reason);
    changes.fates.push({ groupId: incoming.groupId, fate: 'quarantined', reason, batchId: null, at: transaction.now });
    recordEvent(transaction, 'group-quarantined', {
      group_id: incoming.groupId,
      reason,
      total: record.counts.quarantined,
    });
    return { groupId: incoming.groupId, status: 'quarantined', reason };
  }

  const group: ReadyGroupRecord = {
    groupId: incoming.groupId,
    position,
    place: 'queue',
    envId: incoming.envId,
    sequenceCount: sizeOf(incoming),
    tokenCount: incoming.tokenCount,
    payloadDigest: incoming.payloadDigest,
    payloadBytes: incoming.payloadBytes,
    failures: 0,
    nonFinite: incoming.nonFiniteFields.length > 0,
  };
  state.readyGroups += 1;
  state.readyBytes += group.payloadBytes;

  const environment = resolveEnvironment(state, incoming.envId);
  if (environment === undefined || environment.groupSize === group.sequenceCount || incoming.envId === null) {
    enqueueGroup(transaction, group);
    return { groupId: group.groupId, status: 'received' };
  }
  return bufferGroup(transaction, group, incoming.envId, environment.groupSize);
}

/** A group of another size than its environment's waits until some waiting ones add up to that size exactly. */
function bufferGroup(transaction: Transaction, group: ReadyGroupRecord, envId: number, target: number): AcceptedGroup {
  const { state, changes } = transaction;
  const buffer = bufferOf(state, envId);
  group.place = 'buffer';
  buffer.push(group);
  changes.readyWrites.set(group.groupId, group);

  const complete = releaseFromBuffer(buffer, target);
  if (complete !== null) {
    state.buffers.set(envId, complete.rest);
    for (const member of complete.released) {
      member.position = state.record.nextPosition++;
      enqueueGroup(transaction, member);
    }
  }
  return { groupId: group.groupId, status: 'buffered', bufferSize: sequencesIn(bufferOf(state, envId)) };
}

/** A failure carries no number to train on, and the evaluation split never reaches a trainer. */
function findReasonNotToQueue(group: IncomingGroup): string | null {
  if (group.outcome !== 'scored') return `outcome-${group.outcome}`;
  return group.split === 'eval' ? 'split-eval' : null;
}
