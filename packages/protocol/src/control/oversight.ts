import { z } from 'zod';

const moment = z.int();

/** Who holds what now, who may call, and what was done: what somebody looks at who answers for a server. */
export const oversightSchemas = {
  /** `GET /v1/leases`: what one process alone may write about now. */
  leases: z.object({
    leases: z.array(
      z.object({
        /** `supervision` of a run, `record-training`, `improvement`, or `rating`. */
        kind: z.string(),
        /** The id of what is held. */
        resource: z.string(),
        holder: z.string(),
        /** How often it has changed hands. */
        epoch: z.int(),
        expires_at: moment,
      }),
    ),
  }),
  /** `GET /v1/tokens`: everything about them but the secret. */
  tokens: z.object({
    tokens: z.array(
      z.object({
        token_id: z.string(),
        name: z.string(),
        /** Made by a person, for a process of a run, or held by a page for a while. */
        kind: z.string(),
        scopes: z.array(z.string()),
        /** The only run it is good for; null for all. */
        run: z.string().nullable(),
        created_at: moment,
        expires_at: moment.nullable(),
        revoked_at: moment.nullable(),
        /** To the minute. */
        last_used_at: moment.nullable(),
      }),
    ),
  }),
  /** What `GET /v1/audit` may be asked for; every field narrows it. */
  auditQuery: z.strictObject({
    limit: z.int().min(1).max(1_000).default(100),
    since: moment.optional(),
    /** Words that the action holds. */
    action: z.string().min(1).max(200).optional(),
    /** Only what was refused. */
    refused: z.boolean().optional(),
  }),
  /** `GET /v1/audit`: the newest lines of the caller's tenant, the oldest first. */
  audit: z.object({
    lines: z.array(
      z.object({
        cursor: z.int(),
        at: moment,
        /** A route or a command. */
        action: z.string(),
        token_id: z.string().nullable(),
        from: z.string(),
        by: z.string(),
        /** Ids of what it was done to. */
        things: z.record(z.string(), z.string()),
        /** `ok`, or the code of the refusal. */
        result: z.string(),
        /** More than one: that many alike, up to `until`. */
        count: z.int(),
        until: moment.nullable(),
      }),
    ),
  }),
  /** `GET /v1/audit/check`: the whole log was read, of all tenants. */
  auditCheck: z.object({
    /** Every line follows from the one before it and is signed, and none is missing at either end. */
    is_whole: z.boolean(),
    /** How many there are; 0 where one is wrong. */
    lines: z.int(),
    /** The first line that is not as it was written, and why; null where all are. */
    fault: z.object({ cursor: z.int(), reason: z.string() }).nullable(),
    /** The hash of the last line. */
    hash: z.string().nullable(),
    checked_at: moment,
  }),
};
