import { z } from 'zod';

/**
 * What `GET /runs/{id}/logs/{role}` sends as server-sent events: `event: lines`, whose id is the byte offset behind them.
 * A client that comes back with it as Last-Event-ID goes on there. `event: end` comes when the run has ended and
 * everything was sent. Without an offset it begins with the last lines, 100 unless `?tail=` says otherwise; `?follow=false`
 * ends with what is there now.
 */
export const logEventSchema = z.looseObject({ lines: z.array(z.string()) });

/** How many of the last lines of a log are wanted, and whether to wait for more. */
export const logQuerySchema = z.strictObject({
  tail: z.int().min(0).max(100_000).optional(),
  follow: z.boolean().optional(),
});
