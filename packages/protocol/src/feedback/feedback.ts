import { z } from 'zod';
import { chatMessageSchema } from '../chat/message.ts';
import { isRecord } from '../values/is-record.ts';

/** Who can rate a trajectory: a person, a rule, or a model as judge. */
export const AUTHOR_KINDS = Object.freeze(['person', 'rule', 'judge'] as const);

const about = {
  /** Its id, the beginning of it, or the key of the application; or the id of a turn or a response, which is about that turn. */
  trajectory_id: z.string().min(1).max(200),
  /** The turn it is about; absent for the whole trajectory. */
  turn_index: z.int().min(0).nullish(),
  author: z.string().min(1).max(200),
  author_kind: z.enum(AUTHOR_KINDS),
  /** Two posts with the same key by the same author are one. A later one with another content revises it. */
  key: z.string().min(1).max(200).nullish(),
  comment: z.string().max(20_000).nullish(),
};

/** What somebody thinks of a reply or of a whole trajectory. */
export const feedbackInputSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...about, kind: z.literal('thumb'), is_up: z.boolean() }),
  z.strictObject({ ...about, kind: z.literal('stars'), stars: z.int().min(1).max(5) }),
  /** The comment alone. */
  z.strictObject({ ...about, kind: z.literal('text'), comment: z.string().min(1).max(20_000) }),
  /** The reply as it should have been. */
  z.strictObject({ ...about, kind: z.literal('edit'), edited: chatMessageSchema }),
  /** This one is better than the other. */
  z.strictObject({
    ...about,
    kind: z.literal('choice'),
    over: z.strictObject({ trajectory_id: z.string().min(1), turn_index: z.int().min(0).nullish() }),
  }),
  /** One step inside the trajectory was right or wrong. */
  z.strictObject({ ...about, turn_index: z.int().min(0), kind: z.literal('step'), is_right: z.boolean() }),
  /** A number from 0 to 1, as rules and judges give. An abstention is no feedback. */
  z.strictObject({
    ...about,
    kind: z.literal('score'),
    score: z.number().min(0).max(1),
    rubric: z.string().max(200).nullish(),
  }),
]);

export type FeedbackInput = z.infer<typeof feedbackInputSchema>;

/** The same as it may be sent: instead of the trajectory one reply, by the id of its turn or of the response. */
export const feedbackRequestSchema = z.preprocess(nameByTrajectory, feedbackInputSchema);

type ByReply<Input> = Input extends unknown
  ? Omit<Input, 'trajectory_id' | 'turn_index'> & ({ turn_id: string } | { response_id: string })
  : never;

/** Feedback as a program sends it, about a trajectory or about one reply. */
export type FeedbackRequest = FeedbackInput | ByReply<FeedbackInput>;

/** What names two things is left as it is, and refused for the field that is too much. */
function nameByTrajectory(value: unknown): unknown {
  if (!isRecord(value) || 'trajectory_id' in value) return value;
  const { turn_id: turn, response_id: response, ...rest } = value;
  if ((turn === undefined) === (response === undefined)) return value;
  return { ...rest, trajectory_id: turn ?? response };
}

/** The forms that feedback on a trajectory can have. */
export const FEEDBACK_KINDS = Object.freeze(['thumb', 'stars', 'text', 'edit', 'choice', 'step', 'score'] as const);

/** Feedback as it is kept. Nothing is rewritten: a revision is a new row that names the one it replaces. */
export interface Feedback {
  feedback_id: string;
  feedback: FeedbackInput;
  /** From 0 to 1, comparable between kinds; null for text, edits and choices. */
  value: number | null;
  revises: string | null;
  created_at: number;
  withdrawn_at: number | null;
  /** Said before the reply was recorded: it counts once the record is in the store. */
  is_waiting?: boolean;
}

/** Where a rating lies between 0 and 1. */
export function feedbackValue(feedback: FeedbackInput): number | null {
  switch (feedback.kind) {
    case 'thumb':
      return feedback.is_up ? 1 : 0;
    case 'stars':
      return (feedback.stars - 1) / 4;
    case 'step':
      return feedback.is_right ? 1 : 0;
    case 'score':
      return feedback.score;
    default:
      return null;
  }
}
