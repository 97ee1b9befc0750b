import {
  createDropReport,
  applyTransforms,
  makeDataset,
  EmptyDatasetError,
  gateRecords,
  readLibrary,
  type DroppedField,
} from '@lachesis/data';
import type { DataRecord, DatasetVersion, ImprovePlan, TrajectoryFilter } from '@lachesis/protocol';
import { findHeldOut, listDatasets, listFeedback, type BlobStore, type Store } from '@lachesis/store';
import { chooseFilters } from './own-trajectories.ts';
import { improvementSource } from './plan.ts';
import type { StageContents } from './stages.ts';

export interface ImproveRowsOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  plan: ImprovePlan;
  /** What it may learn from. */
  filters: readonly TrajectoryFilter[];
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
 * Two versions of data sets from what was rated: one to measure with, whose prompts the store refuses in any training set
 * of this model, and one to train on. Which is which is decided by a hash of the prompt, so it is the same next time. Where
 * either would be too small for its gate neither is made: nothing is held out for a training that will not be.
 */
export async function makeImproveRows(given: Omit<ImproveRowsOptions, 'filters'>): Promise<StageContents['dataset']> {
  const { plan, store, tenantId } = given;
  const until = await store.now();
  const options = { ...given, filters: await chooseFilters({ store, tenantId, plan }) };
  const names = datasetsOf(plan.model);
  const leftOut: DroppedField[] = [];
  const rows = await countRows(options, false, leftOut);
  const heldOutRows = await countRows(options, true, leftOut);
  const isEnough = rows >= plan.min_rows && heldOutRows >= plan.min_items;
  const heldOut = isEnough ? await ensureVersion(options, { name: names.heldOut, isHeldOut: true }) : undefined;
  const training = isEnough ? await ensureVersion(options, { name: names.training, isHeldOut: false }) : undefined;
  return {
    dataset: nameOf(training),
    digest: training?.content_digest ?? null,
    rows: training?.row_count ?? rows,
    held_out: nameOf(heldOut),
    held_out_rows: heldOut?.row_count ?? heldOutRows,
    left_out: leftOut.map(({ reason, count }) => ({ reason, count })),
    until,
  };
}

/** How many rows a side would have, and what it would leave out. Nothing is written. */
async function countRows(options: ImproveRowsOptions, isHeldOut: boolean, leftOut: DroppedField[]): Promise<number> {
  const { store, tenantId, plan } = options;
  const drops = createDropReport();
  const gated = gateRecords(readSplit(options, isHeldOut), {
    consents: isHeldOut ? ['train', 'evaluate'] : ['train'],
    findHeldOut: async (digests) => (isHeldOut ? [] : findHeldOut({ store, tenantId, digests, model: plan.model })),
    drops,
  });
  let count = 0;
  for await (const _row of applyTransforms(gated, { transforms: transformsOf(isHeldOut), drops })) count += 1;
  leftOut.push(...drops.list());
  return count;
}

const transformsOf = (isHeldOut: boolean) => [
  { kind: 'complete' as const },
  { kind: 'dedupe' as const, by: isHeldOut ? ('prompt' as const) : ('whole' as const) },
];

const nameOf = (dataset: DatasetVersion | undefined): string | null =>
  dataset === undefined ? null : `${dataset.name}@${dataset.version}`;

async function ensureVersion(
  options: ImproveRowsOptions,
  { name, isHeldOut }: { name: string; isHeldOut: boolean },
): Promise<DatasetVersion | undefined> {
  const { store, blobs, tenantId, plan, improvementId } = options;
  const sourceName = improvementSource(improvementId);
  const made = (await listDatasets({ store, tenantId })).find(
    (dataset) => dataset.name === name && readSource(dataset.recipe) === sourceName,
  );
  if (made !== undefined) return made;
  try {
    const { dataset } = await makeDataset({
      ...{ store, blobs, tenantId, name, isHeldOut, sourceName, filter: {} },
      // Rows that another held-out set has are not ours to train on.
      heldOut: 'leave-out',
      transforms: transformsOf(isHeldOut),
      model: plan.model,
      source: readSplit(options, isHeldOut),
    });
    return dataset;
  } catch (error) {
    if (!EmptyDatasetError.isInstance(error)) throw error;
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
async function* readRated({ store, blobs, tenantId, plan, filters }: ImproveRowsOptions): AsyncGenerator<DataRecord> {
  const { filter, method, min_rating: least } = plan;
  const library = { store, blobs, tenantId, filter, filters };
  if (method === 'dpo') {
    yield* readLibrary({ ...library, kind: 'preference' });
    return;
  }
  const ratings = await readRatings({ store, tenantId });
  for await (const record of readLibrary(library)) {
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
