import { z } from 'zod';

/** Reply of `GET /health`: whether the control server and its library are well. */
export const controlHealthSchema = z.looseObject({
  status: z.enum(['ok', 'impaired']),
  service: z.literal('control'),
  /** A short name for where the rows are: the same for whoever uses the same home or database. */
  library: z.string(),
  /** Runs that have not ended. Absent from a server that starts none. */
  active_runs: z.int().min(0).optional(),
  /** Of the program that answers. */
  version: z.string().optional(),
  /** `managed` is a service behind a key, which is not asked. Absent from a server that starts no runs, and an older one. */
  engine: z.enum(['ready', 'away', 'managed', 'none']).optional(),
  /** Whether somebody answers prompts: the gateway, or the policy of a run. `configured` is a server that is not asked. */
  inference: z.enum(['ready', 'away', 'configured', 'none']).optional(),
});

export type ControlHealth = z.infer<typeof controlHealthSchema>;
