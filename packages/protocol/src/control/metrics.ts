import { z } from 'zod';
import { RUN_STATES } from './run-state.ts';

/** One point; `value` is null where something else than a number was measured. */
export const runMetricPointSchema = z.looseObject({
  series: z.string(),
  step: z.int(),
  at: z.int(),
  value: z.number().nullable(),
});

export type RunMetricPoint = z.infer<typeof runMetricPointSchema>;

/** Reply of `GET /runs/{id}/metrics`: the last values, and their history. */
export const runMetricsSchema = z.looseObject({
  run_id: z.string(),
  status: z.enum(RUN_STATES),
  environment: z.string(),
  /** The last value of each series, by its full name such as `reward/mean`. */
  final_metrics: z.record(z.string(), z.number().nullable()),
  /** One row for each step that was kept, the oldest first: `step` and the series by name. */
  history: z.array(z.looseObject({ step: z.int() })),
  /**
   * Where a row of the history stands for more than one point: `step` as there, and by name the lowest and the highest
   * value of those it stands for. Absent when nothing was thinned out.
   */
  ranges: z.array(z.looseObject({ step: z.int() })).optional(),
  /** Names of the series there are. */
  series: z.array(z.string()),
  /** What series mean whose names do not say it all, by name. */
  descriptions: z.record(z.string(), z.string()).optional(),
  /** Where the metrics can be seen in a browser, when they went anywhere. */
  metrics_url: z.string().nullable(),
  /** The last saved weights, a `tinker://` path. */
  weights_path: z.string().nullable(),
  /** User or team at W&B; null when the run is not there, or is kept offline. */
  wandb_entity: z.string().nullish(),
  wandb_project: z.string().nullable(),
  wandb_run_name: z.string().nullable(),
});

export type RunMetrics = z.infer<typeof runMetricsSchema>;

/** Which series, and how many rows of history at most; more are thinned out evenly, each row the mean of its steps. */
export const runMetricsQuerySchema = z.strictObject({
  /** Names, separated by commas. */
  series: z.string().max(2_000).optional(),
  limit: z.int().min(1).max(5_000).optional(),
});

export type RunMetricsQuery = z.infer<typeof runMetricsQuerySchema>;

const extremeSchema = z.object({ step: z.int(), value: z.number() });

/** `GET /runs/{id}/metrics/extremes`: which steps of a stretch made the lowest and the highest value of a series. */
export const runExtremesSchemas = {
  /** One series, and a stretch of steps with both its ends. */
  query: z.strictObject({ series: z.string().min(1).max(200), from: z.int().min(0), to: z.int().min(0) }),
  /** The first of equals; null where there is no number in the stretch. */
  reply: z.looseObject({
    run_id: z.string(),
    series: z.string(),
    lowest: extremeSchema.nullable(),
    highest: extremeSchema.nullable(),
  }),
};

/**
 * What `GET /runs/{id}/metrics/stream` sends as server-sent events. `event: metrics` carries points, its id is the
 * cursor to go on from; `event: status` a change of state; `event: end` is the last.
 */
export const metricsEventSchema = z.looseObject({ points: z.array(runMetricPointSchema) });

/** An event of the metrics stream: the run is in another state. */
export const statusEventSchema = z.looseObject({
  run_id: z.string(),
  status: z.enum(RUN_STATES),
  reason: z.string().nullable(),
});

export type StatusEvent = z.infer<typeof statusEventSchema>;
