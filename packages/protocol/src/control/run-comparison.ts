import { z } from 'zod';
import { RUN_STATES } from './run-state.ts';

/** Which runs, which series, and how many points of each at most. */
export const runComparisonQuerySchema = z.strictObject({
  /** Ids, separated by commas: two at least. The first is what the others are compared with. */
  runs: z.string().min(1).max(2_000),
  /** Names, separated by commas; reward, evaluation and loss when left out. */
  series: z.string().max(2_000).optional(),
  limit: z.int().min(1).max(5_000).optional(),
});

const pointSchema = z.object({ step: z.int(), value: z.number() });

/** Runs that differ by their seed alone, taken together at one step. */
const bandPointSchema = z.object({
  step: z.int(),
  mean: z.number(),
  low: z.number(),
  high: z.number(),
  /** How many of them have a value there. */
  runs: z.int().min(2),
});

/** Reply of `GET /runs/compare`: what differs between runs, in their settings, their curves and their evaluations. */
export const runComparisonSchema = z.looseObject({
  runs: z.array(
    z.looseObject({
      run_id: z.string(),
      environment: z.string(),
      status: z.enum(RUN_STATES),
      created_at: z.int(),
      /** Runs with the same number differ by their seed alone. */
      group: z.int().min(0),
    }),
  ),
  /** Settings that are not the same everywhere, each with its value in every run, in their order; null where it is not set. */
  settings: z.array(z.object({ name: z.string(), values: z.array(z.unknown()) })),
  series: z.array(
    z.object({
      name: z.string(),
      /** By the id of the run. */
      runs: z.record(z.string(), z.array(pointSchema)),
      /** One for each group of two runs or more. */
      bands: z.array(z.object({ group: z.int().min(0), points: z.array(bandPointSchema) })),
    }),
  ),
  /** Names that at least one of the runs has. */
  known_series: z.array(z.string()),
  /** Each later run against the first. */
  evaluations: z.array(
    z.object({
      left: z.string(),
      right: z.string(),
      /** What stands for one pair: an item that both were evaluated on, or a step at which both were evaluated. */
      paired_by: z.enum(['item', 'step']),
      /** Where it was measured, and which one where it is paired by step. */
      series: z.string(),
      /** Of the evaluation that was taken; null where it is paired by step. */
      left_step: z.int().nullable(),
      right_step: z.int().nullable(),
      items: z.int().min(0),
      difference: z.number(),
      /** 95 %, by Student's t; null for fewer than two pairs. */
      interval: z.tuple([z.number(), z.number()]).nullable(),
      better: z.int().min(0),
      worse: z.int().min(0),
    }),
  ),
});

export type RunComparison = z.infer<typeof runComparisonSchema>;
