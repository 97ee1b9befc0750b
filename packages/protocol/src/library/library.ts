import { z } from 'zod';
import { AUTHOR_KINDS, FEEDBACK_KINDS, feedbackInputSchema } from '../feedback/feedback.ts';
import { dataRecordSchema } from '../records/record.ts';
import { CONSENTS } from '../trajectory/capture.ts';
import { recordGapSchema, trajectorySummarySchema, trajectoryTurnSchema } from '../trajectory/trajectory.ts';

/* What the library of the control process takes and gives beside records and lists. */

/** A trajectory with all of its turns, and the gaps where records are missing. */
export const trajectoryDetailSchema = z.object({
  summary: trajectorySummarySchema,
  turns: z.array(trajectoryTurnSchema),
  gaps: z.array(recordGapSchema),
  /** Where to go on, as `from`, for a caller who asked for a part of its turns; null behind the last. */
  next_turn: z.int().nullable().optional(),
});

export type TrajectoryDetail = z.infer<typeof trajectoryDetailSchema>;

const tokensWanted = z.enum(['all', 'none']);

/** How a trajectory is read in parts: its turns page by page, one of them, and the tokens of one reply. */
export const trajectoryReadSchemas = {
  /** `GET /v1/trajectories/{id}`. */
  query: z.strictObject({
    /** `none` leaves out ids and log probabilities, and says how many there are. */
    tokens: tokensWanted.default('all'),
    /** The first turn. */
    from: z.int().min(0).optional(),
    /** Most turns; all when left out. */
    limit: z.int().min(1).max(10_000).optional(),
  }),
  /** `GET /v1/trajectories/{id}/turns/{i}`. */
  turnQuery: z.strictObject({ tokens: tokensWanted.default('none') }),
  turn: z.object({ trajectory_id: z.string(), turn: trajectoryTurnSchema }),
  /** `GET /v1/trajectories/{id}/turns/{i}/tokens`. */
  tokensQuery: z.strictObject({
    /** Which of its replies, where several were asked for. */
    reply: z.int().min(0).default(0),
    /** False leaves out the tokens of the prompt. */
    prompt: z.boolean().default(true),
  }),
};

const tag = z.string().min(1).max(100);

/** Changes what stands on a trajectory: its tags, and what may be done with it. */
export const tagRequestSchema = z.strictObject({
  add: z.array(tag).max(50).optional(),
  remove: z.array(tag).max(50).optional(),
  consent: z.enum(CONSENTS).optional(),
});

/** One trajectory, or everything of one user. */
export const forgetRequestSchema = z.union([
  z.strictObject({ trajectory_id: z.string().min(1) }),
  z.strictObject({ user: z.string().min(1).max(200) }),
]);

export type ForgetRequest = z.infer<typeof forgetRequestSchema>;

/** How many trajectories were forgotten, and the data sets and models that were made from them. */
export const forgetReceiptSchema = z.object({
  /** How many are gone. */
  trajectories: z.int().min(0),
  /** Versions of data sets that hold rows made from them, such as `chats@3`. */
  datasets: z.array(z.string()),
  /** Models that learned from those versions, such as `support@2`; an older server does not say. */
  models: z.array(z.string()).default([]),
});

export type ForgetReceipt = z.infer<typeof forgetReceiptSchema>;

/** Feedback as it is stored, with the number it comes to and what it revises. */
export const feedbackSchema = z.object({
  feedback_id: z.string(),
  feedback: feedbackInputSchema,
  value: z.number().nullable(),
  revises: z.string().nullable(),
  created_at: z.int(),
  withdrawn_at: z.int().nullable(),
  /** Said before the reply was recorded: it counts once the record is in the store. */
  is_waiting: z.boolean().default(false),
});

/** Feedback that fits a query, as it is stored. */
export const feedbackListSchema = z.object({ feedback: z.array(feedbackSchema) });

/** Whose feedback is asked for; every field narrows it. */
export const feedbackQuerySchema = z.strictObject({
  trajectory_id: z.string().min(1).optional(),
  author: z.string().min(1).optional(),
  author_kind: z.enum(AUTHOR_KINDS).optional(),
  kind: z.enum(FEEDBACK_KINDS).optional(),
  /** Milliseconds since 1970. */
  since: z.int().optional(),
  /** What waits for its reply to be recorded, instead of what holds. */
  waiting: z.boolean().optional(),
});

export type FeedbackQuery = z.infer<typeof feedbackQuerySchema>;

/** Whose feedback is compared with that of people: all judges or rules, or one author. */
export const agreementQuerySchema = z.strictObject({
  by: z.enum(['judge', 'rule']).default('judge'),
  /** This judge or rule alone. */
  author: z.string().min(1).max(200).optional(),
});

/** How far judges, or rules, say what people say. */
export const feedbackAgreementSchema = z.object({
  by: z.enum(['judge', 'rule']),
  agreement: z.array(
    z.object({
      author: z.string(),
      /** Replies that both people and the other side rated. */
      n: z.int(),
      /** Share on which both said good or both said bad; null when nothing was rated by both. */
      agreement: z.number().nullable(),
      /** Cohen's kappa; null where chance alone explains everything. */
      kappa: z.number().nullable(),
      /** Mean distance of the two numbers. */
      distance: z.number().nullable(),
      table: z.object({ bothGood: z.int(), peopleGood: z.int(), othersGood: z.int(), bothBad: z.int() }),
    }),
  ),
});

export type FeedbackAgreement = z.infer<typeof feedbackAgreementSchema>;

/** One version of a data set. It never changes; forgetting takes the text of single rows out and marks them. */
export const datasetVersionSchema = z.object({
  dataset_id: z.string(),
  name: z.string(),
  version: z.int(),
  is_held_out: z.boolean(),
  row_count: z.int(),
  content_digest: z.string(),
  /** How it was made. */
  recipe: z.unknown(),
  created_at: z.int(),
  /** Rows of each split. */
  splits: z.record(z.string(), z.int()),
});

export type DatasetVersion = z.infer<typeof datasetVersionSchema>;

/** Versions of data sets, with how many rows each has. */
export const datasetListSchema = z.object({ datasets: z.array(datasetVersionSchema) });

/** A data set that is sent with its rows: its name, and whether it is held out for evaluation. */
export const datasetRequestSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, dashes and underscores'),
  is_held_out: z.boolean().default(false),
  recipe: z.unknown().optional(),
  rows: z.array(dataRecordSchema).min(1),
});
