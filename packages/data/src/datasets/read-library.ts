import type { DataRecord, TrajectoryFilter } from '@lachesis/protocol';
import { type BlobStore, iterateTrajectories, listFeedback, readTrajectory, type Store } from '@lachesis/store';
import { type RecordedTrajectory, toDataRecords, type ToDataRecordsOptions } from '../records/to-data-records.ts';
import { toPreferenceRecords } from '../records/to-preference-records.ts';

export interface ReadLibraryOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  filter: TrajectoryFilter;
  /** Conversations, or pairs made from feedback. */
  kind?: DataRecord['kind'];
  records?: ToDataRecordsOptions;
}

/** The trajectories a filter names, as rows. */
export async function* readLibrary(options: ReadLibraryOptions): AsyncGenerator<DataRecord> {
  const { store, blobs, tenantId, filter, kind = 'conversation', records } = options;
  if (kind === 'conversation') {
    for await (const trajectory of iterateTrajectories({ store, blobs, tenantId, filter })) {
      yield* toDataRecords(trajectory, records);
    }
    return;
  }
  const wanted = new Map<string, RecordedTrajectory>();
  for await (const trajectory of iterateTrajectories({
    store,
    blobs,
    tenantId,
    filter: { ...filter, has_feedback: true },
  })) {
    wanted.set(trajectory.summary.trajectory_id, trajectory);
  }
  const feedback = (await listFeedback({ store, tenantId })).filter(({ feedback: said }) =>
    wanted.has(said.trajectory_id),
  );
  // The other side of a choice may be a trajectory that the filter leaves out.
  for (const { feedback: said } of feedback) {
    if (said.kind !== 'choice' || wanted.has(said.over.trajectory_id)) continue;
    const other = await readTrajectory({ store, blobs, tenantId, trajectoryId: said.over.trajectory_id });
    if (other !== undefined) wanted.set(said.over.trajectory_id, other);
  }
  yield* toPreferenceRecords({ trajectories: [...wanted.values()], feedback }).records;
}
