import { createQueueStateRecord } from '@lachesis/store';
import { QueueStatistics } from '../packing/queue-statistics.ts';
import { recordEvent, type Transaction } from './transaction.ts';

/**
 * Archives the incarnation and opens the next one. History, payloads and events stay; what waited is counted as dropped
 * in the old incarnation's ledger.
 */
export function resetRun(transaction: Transaction, reason: string): void {
  const { state } = transaction;
  if (state.version === 0) return;
  const { record } = state;
  const waiting = state.readyGroups;
  if (waiting > 0) record.counts.dropped[reason] = (record.counts.dropped[reason] ?? 0) + waiting;
  recordEvent(transaction, 'run-reset', { incarnation_id: state.incarnationId, dropped: waiting });

  const incarnationId = transaction.nextId();
  const ordinal = state.ordinal + 1;
  transaction.changes.opened = {
    incarnationId,
    ordinal,
    closed: { incarnationId: state.incarnationId, reason, state: record },
  };
  state.incarnationId = incarnationId;
  state.ordinal = ordinal;
  state.record = {
    ...createQueueStateRecord(),
    carried: record.carried,
    latest: record.latest,
    eventCursor: record.eventCursor,
    eventHash: record.eventHash,
    recentTurns: record.recentTurns,
  };
  state.environments = [];
  state.environmentsRevision += 1;
  state.queue = [];
  state.buffers = new Map();
  state.batches = [];
  state.receipts = new Map();
  state.statistics = new QueueStatistics();
  state.readyGroups = 0;
  state.readyBytes = 0;
}
