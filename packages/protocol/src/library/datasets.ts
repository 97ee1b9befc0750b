import { z } from 'zod';
import { dataRecordSchema } from '../records/record.ts';
import { CONSENTS } from '../trajectory/capture.ts';
import { trajectoryFilterSchema } from '../trajectory/trajectory.ts';
import { datasetVersionSchema } from './library.ts';
import { streamFailureSchema, streamProgressSchema } from './stream-lines.ts';

/* How data sets are made, checked and taken out. */

const ROW_KINDS = ['conversation', 'preference'] as const;

/** Something that was left out: where it stood, in how many places, and why. */
export const droppedSchema = z.object({ field: z.string(), count: z.int(), reason: z.string() });

export type Dropped = z.infer<typeof droppedSchema>;

const howMadeShape = {
  /** The set is for measuring: its rows can then enter no export and no training set. */
  is_held_out: z.boolean().default(false),
  /** Rows of held-out sets: refuse to make the set, or leave them out. */
  held_out: z.enum(['refuse', 'leave-out']).default('refuse'),
};

/** Makes a version from what was recorded. */
export const datasetMakeSchema = z.strictObject({
  filter: trajectoryFilterSchema.default({}),
  /** Conversations, or pairs made from feedback. */
  kind: z.enum(ROW_KINDS).default('conversation'),
  /** What becomes of rows on their way into the set, in this order; each kind has fields of its own. */
  transforms: z
    .array(z.looseObject({ kind: z.string() }))
    .max(20)
    .default([]),
  ...howMadeShape,
});

/** Makes a version from rows of a file. */
export const datasetImportSchema = z.strictObject({
  rows: z.array(dataRecordSchema),
  /** What the rows are from, for the recipe. */
  source: z.string().min(1).max(200).default('rows'),
  /** The run whose rollouts the rows are, for the lineage. */
  run: z.string().min(1).max(100).optional(),
  ...howMadeShape,
});

/** How a version is deleted. */
export const datasetDeletionSchema = z.strictObject({
  /** Also one that a model learnt from or was measured with. */
  force: z.boolean().optional(),
});

/** A version that was made, and what it leaves out. */
export const madeDatasetSchema = z.object({
  dataset: datasetVersionSchema,
  dropped: z.array(droppedSchema),
  /** Secrets that were taken out of the rows of a file. */
  redacted: z.int(),
});

export type DatasetMade = z.infer<typeof madeDatasetSchema>;

/** A file that is too large for one request: its rows are sent piece by piece, and a version is made from all of them. */
export const datasetPieceSchemas = {
  /** Some rows. */
  rows: datasetImportSchema.pick({ rows: true }),
  /** What stands for them when the version is made. It is good for a day, for who sent them. */
  kept: z.object({ piece: z.string(), row_count: z.int(), redacted: z.int() }),
  /** Makes a version from pieces, in this order. */
  make: datasetImportSchema.omit({ rows: true }).extend({
    pieces: z.array(z.string().max(300)).min(1).max(1_000_000),
    /** Rows of all pieces: what is missing is noticed. A server holds one and a half kilobytes of each until the commit. */
    row_count: z.int().min(0).max(1_000_000),
  }),
  /** A line of the answer, which waits until all rows are written: the last one is what was made. */
  line: z.union([z.object({ made: madeDatasetSchema }), streamProgressSchema, streamFailureSchema]),
} as const;

/** The context length that `GET /v1/datasets/{ref}/check` judges rows by. */
export const datasetCheckQuerySchema = z.strictObject({
  /** The longest row the trainer takes, in tokens. */
  context: z.int().min(1).max(100_000_000).default(8_192),
});

/** What would go wrong in training, by class, with the rows and what to do. */
export const datasetReportSchema = z.object({
  row_count: z.int(),
  /** Rows that no error names. */
  trainable_count: z.int(),
  checked: z.array(z.string()),
  held_out_checked: z.boolean(),
  findings: z.array(
    z.object({
      class: z.string(),
      severity: z.enum(['error', 'warning']),
      what: z.string(),
      fix: z.string(),
      count: z.int(),
      /** The first of them. */
      rows: z.array(z.object({ row: z.int(), id: z.string(), detail: z.string() })),
    }),
  ),
});

export type DatasetReport = z.infer<typeof datasetReportSchema>;

/** Digests of rows, and which of them are in a held-out set. */
export const heldOutRequestSchema = z.strictObject({ digests: z.array(z.string().min(1).max(200)).max(10_000) });

/** Which of the rows that were asked about are held out for evaluation, and by which data set. */
export const heldOutReplySchema = z.object({
  held_out: z.array(z.object({ digest: z.string(), dataset: z.string() })),
});

export type HeldOutRow = z.infer<typeof heldOutReplySchema>['held_out'][number];

/** Which rows are taken out: those of a data set, or those that the filter finds in what was recorded. */
export const exportQuerySchema = trajectoryFilterSchema.omit({ consent: true }).extend({
  /** `name` or `name@version`; the filter is not looked at then. */
  dataset: z.string().min(1).max(200).optional(),
  kind: z.enum(ROW_KINDS).default('conversation'),
  /** What the rows are for, by what people allowed. */
  purpose: z.enum(CONSENTS).default('train'),
});

/** One line of an export: first the data set, or null; then rows; at the end what was left out. Without its end it broke off. */
export const exportLineSchema = z.union([
  z.strictObject({ dataset: datasetVersionSchema.nullable() }),
  z.strictObject({ row: dataRecordSchema }),
  z.strictObject({ dropped: z.array(droppedSchema) }),
]);

export type ExportLine = z.infer<typeof exportLineSchema>;
