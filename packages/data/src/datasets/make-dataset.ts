import type { Consent, DataRecord } from '@lachesis/protocol';
import { createDatasetVersion, findHeldOut } from '@lachesis/store';
import type { DatasetVersion } from '@lachesis/protocol';
import { createDropReport, type DroppedField } from '../records/drop-report.ts';
import { applyTransforms } from './apply-transforms.ts';
import { EmptyDatasetError } from './empty-dataset-error.ts';
import { gateRecords } from './gate-records.ts';
import { readLibrary, type ReadLibraryOptions } from './read-library.ts';
import { transformSchema, type TransformInput } from './transform.ts';

export interface MakeDatasetOptions extends ReadLibraryOptions {
  name: string;
  transforms?: readonly TransformInput[];
  /** The set is for measuring: its rows can then enter no export and no training set. */
  isHeldOut?: boolean;
  /** Rows of held-out sets: refuse to make the set and name them (the default), or leave them out and say how many. */
  heldOut?: 'refuse' | 'leave-out';
  /** Rows to make it from, instead of the library. */
  source?: Iterable<DataRecord> | AsyncIterable<DataRecord>;
  /** What the rows are from, for the recipe, where they are not from the library. */
  sourceName?: string;
  /** The one model that the set is for: it holds nothing out of what others learn from, and they nothing out of it. */
  model?: string | undefined;
  /** The run whose rollouts the rows are. */
  run?: string | undefined;
}

export interface MadeDataset {
  dataset: DatasetVersion;
  /** What the set leaves out, and why. */
  dropped: DroppedField[];
}

/** What a person allowed for each use of a set. */
const CONSENTS_FOR = {
  training: ['train'],
  measuring: ['train', 'evaluate'],
} as const satisfies Record<string, readonly Consent[]>;

/** Makes a version of a named data set: a filter, then transforms, then rows that never change. */
export async function makeDataset(options: MakeDatasetOptions): Promise<MadeDataset> {
  const { store, blobs, tenantId, name, filter, isHeldOut = false, heldOut = 'refuse', model } = options;
  const { source, sourceName } = options;
  // Whose rows they are: a set that measures another model does not concern them.
  const ofModel = model ?? (source === undefined ? filter.model : undefined);
  const transforms = (options.transforms ?? []).map((transform) => transformSchema.parse(transform));
  const drops = createDropReport();
  const gated = gateRecords(source ?? readLibrary({ ...options, drops }), {
    consents: isHeldOut ? CONSENTS_FOR.measuring : CONSENTS_FOR.training,
    // Refusing is for the store, which names the rows by the order they have in the set.
    findHeldOut: async (digests) =>
      isHeldOut || heldOut === 'refuse' ? [] : findHeldOut({ store, tenantId, digests, model: ofModel }),
    drops,
  });
  const rows = applyTransforms(gated, { transforms, drops })[Symbol.asyncIterator]();
  const first = await rows.next();
  if (first.done === true) throw new EmptyDatasetError({ dataset: name, dropped: drops.list() });
  const dataset = await createDatasetVersion({
    store,
    blobs,
    tenantId,
    name,
    isHeldOut,
    recipe: {
      from: source === undefined ? { filter, kind: options.kind ?? 'conversation' } : (sourceName ?? 'rows'),
      transforms,
      held_out: heldOut,
      ...(model === undefined ? {} : { model }),
    },
    model: ofModel,
    rows: startWith(first.value, rows),
    run: options.run,
  });
  return { dataset, dropped: drops.list() };
}

async function* startWith(first: DataRecord, rest: AsyncIterator<DataRecord>): AsyncGenerator<DataRecord> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
