import { z } from 'zod';

/** Far more series than any environment has; each is a row of the store for every step. */
export const MOST_SERIES = 500;

export const environmentMetricsSchema = z.strictObject({
  /** Who measured; environments of the version before do not say it. */
  environment: z.string().min(1).max(200).optional(),
  step: z.int().min(0),
  /** When they were measured, in milliseconds since 1970; what is sent again with the same moment is kept once. */
  at: z.int().min(0),
  metrics: z
    .record(z.string().min(1).max(200), z.number().nullable())
    .refine((metrics) => Object.keys(metrics).length <= MOST_SERIES, `at most ${MOST_SERIES} series`),
});

/** What an environment measured at a step. */
export type EnvironmentMetrics = z.infer<typeof environmentMetricsSchema>;
