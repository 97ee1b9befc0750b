import { chainEvent, createQueueChanges, type JsonValue, type QueueChanges } from '@lachesis/store';
import type { OpenBatch, QueueState, Receipt } from './state.ts';

/** How a run deviates from the original server, and the decisions a test may replace to prove that they matter. */
export interface QueueRules {
  /** Oldest batch first, step = batches delivered, formed batches counted, poison quarantined. */
  deviates: boolean;
  /** Deliveries that may fail before a group is quarantined. */
  maxFailures: number;
  /** How long an unanswered POST can be recognised in its retry. */
  receiptWindowMs: number;
  /** Whether the holder of `epoch` still holds the batch. */
  acceptsEpoch(batch: OpenBatch, epoch: number): boolean;
  /** Whether this receipt is the first attempt of a POST that arrived again. */
  acceptsReceipt(receipt: Receipt, now: number, windowMs: number): boolean;
}

export const DEFAULT_RULES: QueueRules = {
  deviates: true,
  maxFailures: 5,
  receiptWindowMs: 10 * 60_000,
  acceptsEpoch: (batch, epoch) => batch.epoch === epoch,
  acceptsReceipt: (receipt, now, windowMs) => receipt.status === 'lost' && now - receipt.receivedAt <= windowMs,
};

/** One pass over the commands that wait: they change `state`, and `changes` says which rows that touches. */
export interface Transaction {
  readonly turnId: string;
  readonly state: QueueState;
  readonly changes: QueueChanges;
  readonly rules: QueueRules;
  /** The database's clock, milliseconds. */
  readonly now: number;
  nextId(): string;
  /** Whether there is anything to commit. */
  dirty: boolean;
}

export interface TransactionOptions {
  turnId: string;
  state: QueueState;
  rules: QueueRules;
  now: number;
  nextId(): string;
}

export function createTransaction(options: TransactionOptions): Transaction {
  return { ...options, changes: createQueueChanges(), dirty: false };
}

/** Appends to the run's event log; each event carries the hash of the one before it. */
export function recordEvent(transaction: Transaction, kind: string, data: Record<string, JsonValue>): void {
  const { record, tenantId, runId } = transaction.state;
  const event = { cursor: record.eventCursor + 1, kind, at: transaction.now, data };
  const previousHash = record.eventHash;
  const hash = chainEvent(previousHash, { ...event, tenantId, runId });
  record.eventCursor = event.cursor;
  record.eventHash = hash;
  transaction.changes.events.push({ ...event, previousHash, hash });
  transaction.dirty = true;
}
