import { z } from 'zod';

/** Ids of ours: UUID text. */
export const idSchema = z.uuid();

/** A number of things. */
export const countSchema = z.int().min(0);

/** SHA-256 of a payload, in lower-case hex. */
export const digestSchema = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hex');

/** Milliseconds since the epoch, by the database's clock. */
export const instantSchema = z.int().min(0);

/** Which hand-out of a batch is meant; an older epoch is refused as stale. */
export const epochSchema = z.int().min(0);
