import { z } from 'zod';
import { numbersSchema, tokenIdsSchema } from '../openai/token-ids.ts';
import { offeredToolSchema, chatMessageSchema } from '../chat/message.ts';

/** What the person allowed. Only `train` enters a data set for training; the others are kept and shown. */
export const CONSENTS = Object.freeze(['train', 'evaluate', 'keep'] as const);

export type Consent = (typeof CONSENTS)[number];

/** Why a recorded reply has no token ids or logprobs. */
export const TOKENS_MISSING_REASONS = Object.freeze([
  /** The upstream does not return token ids: a closed API, Ollama, or a server that was not asked. */
  'backend-returns-none',
  /** It returned ids without logprobs. */
  'no-logprobs',
  /** Ids and logprobs differ in length, so neither can be trusted. */
  'length-mismatch',
  /** The reply did not arrive whole. */
  'interrupted',
  /** The call failed, so that there is no reply. */
  'failed',
  /** Recorded as text by an application or an import. */
  'recorded-as-text',
  /** The text held a secret, and its tokens spell it. */
  'redacted',
] as const);

export type TokensMissingReason = (typeof TOKENS_MISSING_REASONS)[number];

/** How a call ended: with a whole reply, with a part of one, or with an error. */
export const CALL_STATES = Object.freeze(['complete', 'interrupted', 'failed'] as const);

export type CallState = (typeof CALL_STATES)[number];

/** Token ids and log probabilities of one reply, and the version of the policy that sampled it. */
export const callTokensSchema = z.object({
  prompt_token_ids: tokenIdsSchema.nullable(),
  token_ids: tokenIdsSchema,
  logprobs: numbersSchema,
  policy_version: z.int().min(0).nullable(),
});

export type CallTokens = z.infer<typeof callTokensSchema>;

const envelope = {
  /** Made by the recorder. A record that arrives twice is kept once. It is the id of the turn that it makes. */
  record_id: z.uuid(),
  /** One process that records. Its sequence numbers start at 0 for each trajectory, so that a lost record leaves a gap. */
  recorder: z.string().min(1).max(200),
  sequence: z.int().min(0),
  /** Which trajectory: the caller's own key, or null when the server has to find it by what the call continues. */
  trajectory: z.string().min(1).max(200).nullable(),
  /** The id its caller was told: a new trajectory gets it, and one that is there is found by it too. */
  trajectory_id: z.uuid().nullish(),
  at: z.int(),
  user: z.string().max(200).nullable(),
  tags: z.array(z.string().min(1).max(100)).max(50),
  consent: z.enum(CONSENTS),
  metadata: z.record(z.string(), z.unknown()).nullable(),
};

/** A recorded call of a model: what was asked, what came back, when, and at what cost. */
export const callRecordSchema = z.object({
  ...envelope,
  kind: z.literal('call'),
  state: z.enum(CALL_STATES),
  /** `gateway`, `openai`, `ai-sdk`, or a name of the application's own. */
  source: z.string().min(1).max(100),
  model: z.string(),
  /** The whole conversation as it was sent; what was sent before is stored once. */
  messages: z.array(chatMessageSchema),
  tools: z.array(offeredToolSchema).nullable(),
  /** Temperature, stops and everything else that was asked for. */
  sampling: z.record(z.string(), z.unknown()),
  is_stream: z.boolean(),
  /** One message per choice; several where `n` was asked for. Empty when the call failed. */
  replies: z.array(
    z.object({
      message: chatMessageSchema,
      finish_reason: z.string().nullable(),
      tokens: callTokensSchema.nullable(),
      tokens_missing: z.enum(TOKENS_MISSING_REASONS).nullable(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }).nullable(),
  /** As the upstream calls its reply, such as `chatcmpl-…`: feedback may name the turn by it. */
  response_id: z.string().max(200).nullish(),
  /** In US dollars, as the upstream said it or by the price table; null where neither knows. */
  cost: z.number().nullable(),
  /** The host that answered, without credentials. */
  upstream: z.string().nullable(),
  started_at: z.int(),
  first_token_at: z.int().nullable(),
  ended_at: z.int(),
  error: z.object({ message: z.string(), status: z.int().nullable() }).nullable(),
});

export type CallRecord = z.infer<typeof callRecordSchema>;

/** Messages that no recorded call sent: what an application did by itself. */
export const messagesRecordSchema = z.object({
  ...envelope,
  kind: z.literal('messages'),
  source: z.string().min(1).max(100),
  model: z.string().nullable(),
  messages: z.array(chatMessageSchema).min(1),
  tools: z.array(offeredToolSchema).nullable(),
});

export type MessagesRecord = z.infer<typeof messagesRecordSchema>;

/** How a trajectory ended. Only `scored` has a reward. */
export const endRecordSchema = z.object({
  ...envelope,
  kind: z.literal('end'),
  outcome: z.enum(['scored', 'failed', 'abstained', 'finished']),
  reward: z.number().nullable(),
  reason: z.string().nullable(),
});

export type EndRecord = z.infer<typeof endRecordSchema>;

/** One line of an outbox and one element of `POST /v1/records`. */
export const captureRecordSchema = z.discriminatedUnion('kind', [
  callRecordSchema,
  messagesRecordSchema,
  endRecordSchema,
]);

export type CaptureRecord = z.infer<typeof captureRecordSchema>;

/** Body of `POST /v1/records`: up to a thousand records at once. */
export const captureRequestSchema = z.object({ records: z.array(captureRecordSchema).min(1).max(1_000) });

/** What became of each record, in the order they were sent. 200 comes after the commit. */
export const captureReceiptSchema = z.object({
  receipts: z.array(
    z.object({
      record_id: z.string(),
      trajectory_id: z.string(),
      turn_index: z.int().nullable(),
      /** It had been kept before. */
      is_repeat: z.boolean(),
    }),
  ),
});

export type CaptureReceipt = z.infer<typeof captureReceiptSchema>;
