import {
  createDropReport,
  applyTransforms,
  makeDataset,
  EmptyDatasetError,
  readLibrary,
  type DroppedField,
} from '@lachesis/data';
import type { DataRecord, DatasetVersion, ImprovePlan } from '@lachesis/protocol';
import { listDatasets, listFeedback, type BlobStore, type Store } from '@lachesis/store';
import type { StageContents } from './stages.ts';

export interface ImproveRowsOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  plan: ImprovePlan;
  /** Whose rows they are: versions carry it in their recipe, and are found by it after a kill. */
  improvementId: string;
}

/** The names of its data sets in the library. */
const datasetsOf = (model: string): { training: string; heldOut: string } => ({
  training: `${model}-improve`,
  heldOut: `${model}-held-out`,
});

const HELD_OUT = 'held-out';

/**
 * Two versions of data sets from what was rated: one to measure with, whose prompts the store refuses in any training set,
 * and one to train on. Which is which is decided by a hash of the prompt, so it is the same next time.
 */
export async function makeImproveRows(options: ImproveRowsOptions): Promise<StageContents['dataset']> {
  const { plan } = options;
  const names = datasetsOf(plan.model);
  const leftOut: DroppedField[] = [];
  const heldOut = await ensureVersion(options, { name: names.heldOut, isHeldOut: true }, leftOut);
  const training = await ensureVersion(options, { name: names.training, isHeldOut: false }, leftOut);
  return {
    dataset: nameOf(training),
    digest: training?.content_digest ?? null,
    rows: training?.row_count ?? 0,
    held_out: nameOf(heldOut),
    held_out_rows: heldOut?.row_count ?? 0,
    left_out: leftOut.map(({ reason, count }) => ({ reason, count })),
  };
}

const nameOf = (dataset: DatasetVersion | undefined): string | null =>
  dataset === undefined ? null : `${dataset.name}@${dataset.version}`;

async function ensureVersion(
  options: ImproveRowsOptions,
  { name, isHeldOut }: { name: string; isHeldOut: boolean },
  leftOut: DroppedField[],
): Promise<DatasetVersion | undefined> {
  const { store, blobs, tenantId, improvementId } = options;
  const sourceName = `improvement ${improvementId}`;
  const made = (await listDatasets({ store, tenantId })).find(
    (dataset) => dataset.name === name && readSource(dataset.recipe) === sourceName,
  );
  if (made !== undefined) return made;
  try {
    const { dataset, dropped } = await makeDataset({
      ...{ store, blobs, tenantId, name, isHeldOut, sourceName, filter: {} },
      // Rows that another held-out set has are not ours to train on.
      heldOut: 'leave-out',
      transforms: [{ kind: 'complete' }, { kind: 'dedupe', by: isHeldOut ? 'prompt' : 'whole' }],
      source: readSplit(options, isHeldOut),
    });
    leftOut.push(...dropped);
    return dataset;
  } catch (error) {
    if (!EmptyDatasetError.isInstance(error)) throw error;
    leftOut.push(...error.dropped);
    return undefined;
  }
}

function readSource(recipe: unknown): unknown {
  return typeof recipe === 'object' && recipe !== null && 'from' in recipe ? recipe.from : undefined;
}

/** Rows on one side of the split, with the split that training reads. */
async function* readSplit(options: ImproveRowsOptions, isHeldOut: boolean): AsyncGenerator<DataRecord> {
  const { held_out_share: share, seed } = options.plan;
  const split = { kind: 'split' as const, seed: `improve/${seed}`, shares: { [HELD_OUT]: share, train: 1 - share } };
  const drops = createDropReport();
  for await (const record of applyTransforms(readRated(options), { transforms: [split], drops })) {
    if ((record.split === HELD_OUT) === isHeldOut) yield record;
  }
}

/** Pairs for dpo, what was rated well for sft, everything that was rated for kto. */
async function* readRated({ store, blobs, tenantId, plan }: ImproveRowsOptions): AsyncGenerator<DataRecord> {
  const { filter, method, min_rating: least } = plan;
  if (method === 'dpo') {
    yield* readLibrary({ store, blobs, tenantId, filter, kind: 'preference' });
    return;
  }
  const ratings = await readRatings({ store, tenantId });
  for await (const record of readLibrary({ store, blobs, tenantId, filter })) {
    if (record.kind !== 'conversation' || record.trajectory_id === null) continue;
    // The rating of a trajectory is that of people; where there is none, what rules and judges say stands for it.
    const rating = record.rating ?? ratings.get(record.trajectory_id);
    if (rating === undefined || (method === 'sft' && rating < least)) continue;
    yield { ...record, rating };
  }
}

async function readRatings(options: { store: Store; tenantId: string }): Promise<Map<string, number>> {
  const values = new Map<string, number[]>();
  for (const { feedback, value } of await listFeedback(options)) {
    if (value === null || feedback.kind === 'step') continue;
    values.set(feedback.trajectory_id, [...(values.get(feedback.trajectory_id) ?? []), value]);
  }
  return new Map([...values].map(([id, all]) => [id, all.reduce((sum, one) => sum + one, 0) / all.length]));
}
