import { z } from 'zod';

import { countSchema, digestSchema, epochSchema, idSchema } from './fields.ts';

const leaseSecondsSchema = z.int().min(1).max(3600);

/** Body of `POST /v1/batches`, with which a trainer asks for a batch. */
export const batchRequestSchema = z.strictObject({
  /** How long to wait for a batch to form. */
  wait_seconds: z.number().min(0).max(30).default(0),
  /** How long the caller may hold the batch before it must renew; what the server is set to when absent. */
  lease_seconds: leaseSecondsSchema.optional(),
  /** Who asks, for logs and the ledger. */
  consumer: z.string().max(200).default(''),
});

/** One group of a batch; its bytes come from GET /v1/batches/{id}/groups in this order. */
export const batchGroupSchema = z.object({
  group_id: idSchema,
  digest: digestSchema,
  bytes: countSchema,
  /** What it counts for in the batch: its rollouts where it names them, and else its sequences. */
  sequence_count: countSchema,
  token_count: countSchema,
  env_id: z.int().nullable(),
});

/** A batch that a trainer holds until its lease ends, with the epoch that every answer must carry. */
export const leasedBatchSchema = z.object({
  batch_id: idSchema,
  epoch: epochSchema,
  /** How often this batch has been handed out, this time included. */
  attempt: z.int().min(1),
  lease_seconds: leaseSecondsSchema,
  step: countSchema,
  groups: z.array(batchGroupSchema),
});

export type LeasedBatch = z.infer<typeof leasedBatchSchema>;

/** Reply of POST /v1/batches; null when none formed in time. */
export const leaseReplySchema = z.object({ batch: leasedBatchSchema.nullable() });

export type LeaseReply = z.infer<typeof leaseReplySchema>;

/** Body of `POST /v1/batches/{id}/renew`, which holds a lease longer. */
export const batchRenewSchema = z.strictObject({ epoch: epochSchema, lease_seconds: leaseSecondsSchema.optional() });

/** Body of POST /v1/batches/{id}/ack: the batch has been trained on. */
export const batchAckSchema = z.strictObject({
  epoch: epochSchema,
  /** The version the step produced, numbered as in a group's policy ranges. */
  policy_version: z.int().min(0).max(0xffff_ffff).optional(),
  step: countSchema.optional(),
});

/** Body of POST /v1/batches/{id}/nack: the batch could not be trained on. */
export const batchNackSchema = z.strictObject({
  epoch: epochSchema,
  reason: z.string().min(1).max(2000),
  /** The groups at fault; all of them when absent. */
  group_ids: z.array(idSchema).max(100_000).optional(),
});

/** Reply of renew, ack and nack: what became of the batch. */
export const batchSettlementSchema = z.object({
  batch_id: idSchema,
  epoch: epochSchema,
  status: z.enum(['leased', 'trained', 'returned']),
  /** True when the same call had already taken effect. */
  replayed: z.boolean(),
  /** After a renewal: how long it holds from now on. */
  lease_seconds: leaseSecondsSchema.optional(),
  /** After a nack: the groups that have failed too often to be handed out again. */
  quarantined: z.array(idSchema).optional(),
});

export type BatchSettlement = z.infer<typeof batchSettlementSchema>;
