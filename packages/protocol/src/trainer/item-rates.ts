import { z } from 'zod';

/** As many as are told or read at once; an environment with more items keeps the rates of those it met last. */
export const MOST_ITEM_RATES = 20_000;

const itemRatesSchema = z
  .array(
    z.strictObject({
      item: z.string().min(1).max(200),
      /** Rollouts, the older ones counting for less, and how many of them passed. */
      rollouts: z.number().min(0),
      passed: z.number().min(0),
    }),
  )
  .max(MOST_ITEM_RATES);

/** Body of `POST /v1/trainer/items`: how items of an environment did. What was known of them is replaced. */
export const trainerItemsRequestSchema = z.strictObject({
  environment: z.string().min(1).max(200),
  rates: itemRatesSchema,
  /** Tell me all that is known, as after a restart. */
  asks_all: z.boolean().default(false),
});

export type TrainerItemsRequest = z.infer<typeof trainerItemsRequestSchema>;

/** What is known of the environment's items; empty when it was not asked for. */
export const trainerItemsSchema = z.object({ rates: itemRatesSchema });

export type TrainerItems = z.infer<typeof trainerItemsSchema>;
