import type { RunLedger } from '@lachesis/protocol';
import { loadQueue, type Store, type TrainingRun } from '@lachesis/store';

const NOTHING = Object.freeze({ produced: 0, delivered: 0, trained: 0, quarantined: 0, dropped: {} });

/** Where every group of a run is, by the rows of its queue; also when it has ended. One that has no queue has no groups. */
export async function readRunLedger({ store, run }: { store: Store; run: TrainingRun }): Promise<RunLedger> {
  const queue = await loadQueue(store.db, { tenantId: run.tenantId, runName: run.shortId });
  const counts = queue?.state.counts ?? NOTHING;
  const inBatches = (...states: readonly string[]): number =>
    (queue?.batches ?? []).reduce(
      (sum, { state, groupIds }) => sum + (states.includes(state) ? groupIds.length : 0),
      0,
    );
  const inPlace = (wanted: string): number => (queue?.groups ?? []).filter(({ place }) => place === wanted).length;
  const parts = {
    pending: inPlace('queue'),
    buffered: inPlace('buffer'),
    formed: inBatches('formed'),
    leased: inBatches('leased', 'sending'),
    delivered_unconfirmed: counts.delivered,
    trained: counts.trained,
    quarantined: counts.quarantined,
  };
  const known = [...Object.values(parts), ...Object.values(counts.dropped)].reduce((sum, count) => sum + count, 0);
  return {
    ...{ run_id: run.shortId, produced: counts.produced, ...parts },
    ...{ dropped: { ...counts.dropped }, balanced: known === counts.produced },
  };
}
