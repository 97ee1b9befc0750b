import { z } from 'zod';

/** Reply of `GET /health`: whether the control server and its library are well. */
export const controlHealthSchema = z.looseObject({
  status: z.enum(['ok', 'impaired']),
  service: z.literal('control'),
  /** A short name for where the rows are: the same for whoever uses the same home or database. */
  library: z.string(),
  /** Runs that have not ended. Absent from a server that starts none. */
  active_runs: z.int().min(0).optional(),
});

export type ControlHealth = z.infer<typeof controlHealthSchema>;
