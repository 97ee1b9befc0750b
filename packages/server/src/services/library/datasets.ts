import type { TransformInput } from '@lachesis/data';
import {
  CONSENTS,
  datasetRequestSchema,
  LachesisError,
  type DataRecord,
  type datasetImportSchema,
  type datasetMakeSchema,
  type DatasetMade,
  type DatasetReport,
  type DatasetVersion,
  type Dropped,
  type exportQuerySchema,
  type HeldOutRow,
  type Redactor,
} from '@lachesis/protocol';
import {
  createDatasetVersion,
  findDataset,
  findHeldOut,
  HeldOutError,
  readDatasetRows,
  type BlobStore,
  type Store,
} from '@lachesis/store';
import { z } from 'zod';
import { redactRow } from './redact-row.ts';

/** Loaded when a set is worked on: with its formats it is a fifth of all modules, and most commands and servers touch no set. */
const loadData = () => import('@lachesis/data');

/** Whose data sets. */
export interface DatasetScope {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
}

/** Makes a version of a named set from what was recorded: a filter, then transforms, then rows that never change. */
export async function makeLibraryDataset(
  options: DatasetScope & { name: string; make: z.output<typeof datasetMakeSchema> },
): Promise<DatasetMade> {
  const { store, blobs, tenantId, make } = options;
  const name = readName(options.name);
  const { filter, kind, is_held_out: isHeldOut, held_out: heldOut } = make;
  // Each is checked where it is used.
  const transforms = make.transforms as unknown as TransformInput[];
  const { makeDataset } = await loadData();
  const made = makeDataset({ store, blobs, tenantId, name, filter, kind, transforms, isHeldOut, heldOut });
  return { ...(await refusing(made)), redacted: 0 };
}

/** Makes a version of a named set from rows of a file, without what the settings take out. */
export async function importDataset(
  options: DatasetScope & {
    name: string;
    redactor: Redactor;
    /** Only for rows that were read through by the same rules before: what was put in place of a secret is not read again. */
    isRedacted?: boolean;
    rows: Iterable<DataRecord> | AsyncIterable<DataRecord>;
    make: Omit<z.output<typeof datasetImportSchema>, 'rows'>;
  },
): Promise<DatasetMade> {
  const { store, blobs, tenantId, redactor, isRedacted = false, rows, make } = options;
  const name = readName(options.name);
  const { is_held_out: isHeldOut, held_out: heldOut, source: sourceName, run } = make;
  let redacted = 0;
  const clean = async function* (): AsyncGenerator<DataRecord> {
    for await (const given of rows) {
      const { row, found } = isRedacted ? { row: given, found: 0 } : redactRow(given, redactor);
      redacted += found;
      yield row;
    }
  };
  const where = { store, blobs, tenantId, name, filter: {} };
  const { makeDataset } = await loadData();
  const made = await refusing(makeDataset({ ...where, isHeldOut, heldOut, source: clean(), sourceName, run }));
  return { ...made, redacted };
}

/** Makes a version of a named set from rows as they are, without what the settings take out. */
export async function createLibraryDataset(
  options: DatasetScope & { redactor: Redactor; dataset: z.input<typeof datasetRequestSchema> },
): Promise<DatasetVersion> {
  const { redactor, dataset, ...scope } = options;
  const { is_held_out: isHeldOut = false, recipe = null, rows } = dataset;
  const name = readName(dataset.name);
  const clean = (rows as DataRecord[]).map((row) => redactRow(row, redactor).row);
  return await refusing(createDatasetVersion({ ...scope, name, isHeldOut, recipe, rows: clean }));
}

/** One version: `name` for the newest, `name@3` for the third. */
export async function needDataset(options: Omit<DatasetScope, 'blobs'> & { ref: string }): Promise<DatasetVersion> {
  const found = await findDataset(options);
  if (found !== undefined) return found;
  throw new LachesisError({
    code: 'not-found',
    message: `there is no data set ${JSON.stringify(options.ref.slice(0, 200))}`,
    hint: '`lachesis data sets list` shows them.',
  });
}

/** What would go wrong in training with the rows of a set. */
export async function checkDataset(
  options: DatasetScope & { ref: string; contextTokens: number },
): Promise<DatasetReport> {
  const { ref, contextTokens, ...scope } = options;
  const { dataset_id: datasetId } = await needDataset({ ...scope, ref });
  const { checkRecords } = await loadData();
  return await checkRecords(readDatasetRows({ ...scope, datasetId }), {
    contextTokens,
    findHeldOut: (digests) => listHeldOut({ ...scope, digests }),
  });
}

/** Which of these digests are in a held-out set, and in which. */
export async function listHeldOut(
  options: Omit<DatasetScope, 'blobs'> & { digests: readonly string[] },
): Promise<HeldOutRow[]> {
  const found = await findHeldOut({ ...options, digests: [...options.digests] });
  return found.map(({ digest, dataset }) => ({ digest, dataset }));
}

/** Rows on their way out; what stays behind is known when they have all been read. */
export interface OpenExport {
  dataset: DatasetVersion | null;
  rows: AsyncGenerator<DataRecord>;
  dropped(): Dropped[];
}

/**
 * The only way by which rows leave: those that people did not allow for this and those of held-out sets stay, and are
 * counted. A held-out set leaves not at all.
 */
export async function openExport(
  options: DatasetScope & { query: z.output<typeof exportQuerySchema> },
): Promise<OpenExport> {
  const { query, ...scope } = options;
  const { dataset: ref, kind, purpose, ...filter } = query;
  const dataset = ref === undefined ? null : await needDataset({ ...scope, ref });
  if (dataset?.is_held_out === true) {
    throw new LachesisError({
      code: 'conflict',
      message: `${dataset.name}@${dataset.version} is held out: its rows are for measuring and leave by no export`,
    });
  }
  const { createDropReport, gateRecords, readLibrary } = await loadData();
  const drops = createDropReport();
  const source =
    dataset === null
      ? readLibrary({ ...scope, filter, kind, drops })
      : readDatasetRows({ ...scope, datasetId: dataset.dataset_id });
  const rows = gateRecords(source, {
    // Who allowed training allowed looking at it too.
    consents: CONSENTS.slice(0, CONSENTS.indexOf(purpose) + 1),
    // Of pairs the filter says whose they are; a set that measures another model does not concern them.
    findHeldOut: (digests) => findHeldOut({ ...scope, digests, model: dataset === null ? filter.model : undefined }),
    drops,
  });
  return { dataset, rows, dropped: () => drops.list() };
}

/** Letters that can stand in a path and on a command line. */
export function readName(name: string): string {
  const read = datasetRequestSchema.shape.name.safeParse(name);
  if (read.success) return read.data;
  const message = `the name of a data set ${read.error.issues[0]?.message ?? 'is not understood'}`;
  throw new LachesisError({ code: 'invalid', message });
}

async function refusing<T>(made: Promise<T>): Promise<T> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      const message = `a transform is not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
      throw new LachesisError({ code: 'invalid', message, cause: error });
    }
    const { EmptyDatasetError } = await loadData();
    if (EmptyDatasetError.isInstance(error))
      throw new LachesisError({ code: 'conflict', message: error.message, cause: error });
    if (!HeldOutError.isInstance(error)) throw error;
    throw new LachesisError({
      code: 'conflict',
      message: error.message,
      hint: 'Leave those rows out. What is held out is for measuring, and never for training.',
      cause: error,
    });
  }
}
