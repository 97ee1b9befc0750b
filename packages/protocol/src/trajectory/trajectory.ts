import { z } from 'zod';
import { CALL_STATES, CONSENTS, TOKENS_MISSING_REASONS, callTokensSchema } from './capture.ts';
import { offeredToolSchema, chatMessageSchema } from '../chat/message.ts';

/** A trajectory as a list shows it: whose, when, its tags, tokens, cost and rating. */
export const trajectorySummarySchema = z.object({
  trajectory_id: z.string(),
  /** The recorder's key, where it gave one. */
  key: z.string().nullable(),
  run_id: z.string().nullable(),
  source: z.string(),
  model: z.string().nullable(),
  user: z.string().nullable(),
  /** The beginning of the first message of the role `user`. */
  title: z.string(),
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  reward: z.number().nullable(),
  /** Mean of what people said, from 0 to 1; null without a rating. */
  rating: z.number().nullable(),
  split: z.string(),
  consent: z.enum(CONSENTS),
  tags: z.array(z.string()),
  turn_count: z.int(),
  tool_call_count: z.int(),
  error_count: z.int(),
  /** Prompt of the last call and reply, in tokens; null where nobody counted. */
  token_count: z.int().nullable(),
  completion_tokens: z.int(),
  cost: z.number().nullable(),
  /** Every reply has ids and logprobs. */
  has_tokens: z.boolean(),
  /** Sequence numbers of a recorder that never arrived. */
  missing_records: z.int(),
  started_at: z.int(),
  updated_at: z.int(),
  ended_at: z.int().nullable(),
});

export type TrajectorySummary = z.infer<typeof trajectorySummarySchema>;

/** One exchange: what was new in the request, and the reply. */
export const trajectoryTurnSchema = z.object({
  turn_id: z.string(),
  turn_index: z.int(),
  /** The turn whose conversation this one continues; null for a first one. Another than the one before is a fork. */
  parent_index: z.int().nullable(),
  /** Messages of the parent's conversation (its reply included) that this request kept; what follows them is `messages`. */
  kept_messages: z.int(),
  kind: z.enum(['call', 'messages']),
  state: z.enum(CALL_STATES),
  messages: z.array(chatMessageSchema),
  tools: z.array(offeredToolSchema).nullable(),
  sampling: z.record(z.string(), z.unknown()).nullable(),
  replies: z.array(
    z.object({
      message: chatMessageSchema,
      finish_reason: z.string().nullable(),
      tokens: callTokensSchema.nullable(),
      tokens_missing: z.enum(TOKENS_MISSING_REASONS).nullable(),
      /** How many there are, in place of `tokens`, for a caller who asked for none of them. */
      token_counts: z
        .object({ prompt: z.int().nullable(), reply: z.int(), policy_version: z.int().nullable() })
        .nullish(),
    }),
  ),
  model: z.string().nullable(),
  upstream: z.string().nullable(),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }).nullable(),
  cost: z.number().nullable(),
  is_stream: z.boolean(),
  error: z.object({ message: z.string(), status: z.int().nullable() }).nullable(),
  /** What its recorder said besides; absent where it said nothing. */
  metadata: z.record(z.string(), z.unknown()).nullish(),
  started_at: z.int(),
  first_token_at: z.int().nullable(),
  ended_at: z.int(),
});

export type TrajectoryTurn = z.infer<typeof trajectoryTurnSchema>;

/** Records of a recorder that never came. */
export const recordGapSchema = z.object({ recorder: z.string(), from: z.int(), to: z.int() });

export type RecordGap = z.infer<typeof recordGapSchema>;

/** What a list or a search asks for; every field narrows it. */
export const trajectoryFilterSchema = z.strictObject({
  text: z.string().optional(),
  model: z.string().optional(),
  source: z.string().optional(),
  user: z.string().optional(),
  run: z.string().optional(),
  key: z.string().optional(),
  /** A tool that was called. */
  tool: z.string().optional(),
  tag: z.string().optional(),
  outcome: z.string().optional(),
  consent: z.enum(CONSENTS).optional(),
  split: z.string().optional(),
  min_reward: z.number().optional(),
  max_reward: z.number().optional(),
  min_rating: z.number().optional(),
  max_rating: z.number().optional(),
  min_turns: z.int().optional(),
  max_turns: z.int().optional(),
  min_tokens: z.int().optional(),
  max_tokens: z.int().optional(),
  has_error: z.boolean().optional(),
  has_tokens: z.boolean().optional(),
  has_feedback: z.boolean().optional(),
  /** Whether a person has rated it: what judges and rules say does not count. */
  is_rated: z.boolean().optional(),
  /** Milliseconds since 1970. */
  since: z.int().optional(),
  until: z.int().optional(),
});

export type TrajectoryFilter = z.infer<typeof trajectoryFilterSchema>;

/** One page of a list of trajectories, and the cursor of the next. */
export const trajectoryPageSchema = z.object({
  trajectories: z.array(trajectorySummarySchema),
  /** Give it as `cursor` for the next page; null on the last. */
  next_cursor: z.string().nullable(),
  /** Where `pages` was asked for: rows behind the cursor, and the cursors of all pages but the first of them. Null with a text. */
  pages: z.object({ count: z.int(), cursors: z.array(z.string()) }).nullish(),
});

export type TrajectoryPage = z.infer<typeof trajectoryPageSchema>;
