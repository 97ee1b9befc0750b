import type { QueueSnapshot } from '@lachesis/store';
import type { QueueState } from './state.ts';

type OpenBatchState = QueueSnapshot['batches'][number]['state'];

/** Where every accepted group is. `produced` equals the sum of the rest at any moment. */
export interface QueueLedger {
  produced: number;
  pending: number;
  buffered: number;
  formed: number;
  leased: number;
  deliveredUnconfirmed: number;
  trained: number;
  quarantined: number;
  dropped: Record<string, number>;
}

export function readLedger(state: QueueState): QueueLedger {
  const { counts } = state.record;
  const inBatches = (wanted: readonly OpenBatchState[]): number =>
    state.batches.reduce((sum, batch) => sum + (wanted.includes(batch.state) ? batch.groups.length : 0), 0);
  return {
    produced: counts.produced,
    pending: state.queue.length,
    buffered: [...state.buffers.values()].reduce((sum, buffer) => sum + buffer.length, 0),
    formed: inBatches(['formed']),
    leased: inBatches(['leased', 'sending']),
    deliveredUnconfirmed: counts.delivered,
    trained: counts.trained,
    quarantined: counts.quarantined,
    dropped: { ...counts.dropped },
  };
}

export function isBalanced(ledger: QueueLedger): boolean {
  const dropped = Object.values(ledger.dropped).reduce((sum, count) => sum + count, 0);
  const { produced, pending, buffered, formed, leased, deliveredUnconfirmed, trained, quarantined } = ledger;
  return produced === pending + buffered + formed + leased + deliveredUnconfirmed + trained + quarantined + dropped;
}
