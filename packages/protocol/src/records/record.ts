import { z } from 'zod';
import { CONSENTS } from '../trajectory/capture.ts';
import { offeredToolSchema, chatMessageSchema } from '../chat/message.ts';

/** Tokens of one training row: what the model read and wrote, in one sequence. */
export const recordTokensSchema = z.object({
  token_ids: z.array(z.int().min(0)),
  /** 1 where the model wrote and may be trained. */
  mask: z.array(z.union([z.literal(0), z.literal(1)])),
  /** One per token; 0 where the mask is 0. */
  logprobs: z.array(z.number()).nullable(),
});

export type RecordTokens = z.infer<typeof recordTokensSchema>;

/** A conversation as data: the noun every export is made from and every import makes. */
export const conversationRecordSchema = z.object({
  kind: z.literal('conversation'),
  id: z.string(),
  /** Null for what was imported without a trajectory. */
  trajectory_id: z.string().nullable(),
  messages: z.array(chatMessageSchema).min(1),
  tools: z.array(offeredToolSchema).nullable(),
  model: z.string().nullable(),
  /** ISO 8601 as it was written; null where nobody said. */
  timestamp: z.string().nullable(),
  completed: z.boolean(),
  partial: z.boolean(),
  reward: z.number().nullable(),
  rating: z.number().nullable(),
  tags: z.array(z.string()),
  split: z.string(),
  weight: z.number(),
  consent: z.enum(CONSENTS),
  tokens: recordTokensSchema.nullable(),
  /** What a format has beyond this, under the name of the format, so that the way back loses nothing. */
  extra: z.record(z.string(), z.unknown()),
});

export type ConversationRecord = z.infer<typeof conversationRecordSchema>;

/** Two continuations of one conversation, the first better than the second. */
export const preferenceRecordSchema = z.object({
  kind: z.literal('preference'),
  id: z.string(),
  trajectory_id: z.string().nullable(),
  prompt: z.array(chatMessageSchema).min(1),
  chosen: z.array(chatMessageSchema).min(1),
  rejected: z.array(chatMessageSchema).min(1),
  tools: z.array(offeredToolSchema).nullable(),
  /** The feedback it comes from. */
  feedback_ids: z.array(z.string()),
  tags: z.array(z.string()),
  split: z.string(),
  weight: z.number(),
  consent: z.enum(CONSENTS),
  extra: z.record(z.string(), z.unknown()),
});

export type PreferenceRecord = z.infer<typeof preferenceRecordSchema>;

/** One row of a data set: a conversation, or a preference between two answers. */
export const dataRecordSchema = z.discriminatedUnion('kind', [conversationRecordSchema, preferenceRecordSchema]);

export type DataRecord = z.infer<typeof dataRecordSchema>;
