import { isAskedFor, REROLL_SOURCE, type DataRecord, type TrajectoryFilter } from '@lachesis/protocol';
import { type BlobStore, iterateTrajectories, listFeedback, readTrajectory, type Store } from '@lachesis/store';
import type { DropReport } from '../records/drop-report.ts';
import { type RecordedTrajectory, toDataRecords, type ToDataRecordsOptions } from '../records/to-data-records.ts';
import { toPreferenceRecords } from '../records/to-preference-records.ts';

export interface ReadLibraryOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  filter: TrajectoryFilter;
  /** Several instead: what any of them finds. */
  filters?: readonly TrajectoryFilter[] | undefined;
  /** Told of what is left out, as rows of batches, evaluations and files are where no source is asked for. */
  drops?: Pick<DropReport, 'add'> | undefined;
  /** Conversations, or pairs made from feedback. */
  kind?: DataRecord['kind'];
  records?: ToDataRecordsOptions;
}

/** The trajectories a filter names, as rows. */
export async function* readLibrary(options: ReadLibraryOptions): AsyncGenerator<DataRecord> {
  const { store, blobs, tenantId, kind = 'conversation', records } = options;
  if (kind === 'conversation') {
    for await (const trajectory of iterateWanted(options, {})) yield* toDataRecords(trajectory, records);
    return;
  }
  const wanted = new Map<string, RecordedTrajectory>();
  for await (const trajectory of iterateWanted(options, { has_feedback: true })) {
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

/** What the filters find. Who asks for no source means what applications recorded. */
async function* iterateWanted(
  { store, blobs, tenantId, filter: only, filters = [only], drops }: ReadLibraryOptions,
  narrowed: TrajectoryFilter,
): AsyncGenerator<RecordedTrajectory> {
  for (const filter of filters) {
    const found = iterateTrajectories({ store, blobs, tenantId, filter: { ...filter, ...narrowed } });
    for await (const trajectory of found) {
      const { source } = trajectory.summary;
      // A reply that was sampled again is no conversation anybody had; what was said of it is about one that was.
      const isChosen = source === REROLL_SOURCE && narrowed.has_feedback === true;
      if (!isChosen && !isAskedFor(source, filter)) {
        drops?.add(
          'row',
          'a batch, an evaluation, a file, `lachesis agent` or a re-roll made it: --source takes it in',
        );
        continue;
      }
      yield trajectory;
    }
  }
}
