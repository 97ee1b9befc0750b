import { z } from 'zod';
import { boundedValueSchema } from './bounded-value.ts';
import { environmentMixSchema } from '../recipe/environment-mix.ts';
import { runEstimateSchema } from './config.ts';
import { RUN_KINDS, RUN_PROCESS_STATES, RUN_ROLES, RUN_STATES } from './run-state.ts';

/**
 * Body of `POST /runs`: the environment, values on top of the configuration, and limits that end the run. The old
 * clients send `{}`: the selected environment with the edits made so far.
 */
export const runRequestSchema = z.strictObject({
  /** Instead of the selected one. */
  environment: z.string().min(1).max(500).optional(),
  /** Several in one run, each with its weight and configurable fields of its own. */
  environments: environmentMixSchema.optional(),
  /** Values of configurable fields, on top of the edits made so far. */
  config: boundedValueSchema.pipe(z.record(z.string(), z.unknown())).optional(),
  /** The run whose settings it began with; it is shown below that one. */
  fork_of: z.string().min(1).max(100).optional(),
  /** The same key gives the same run, however often it is sent. */
  idempotency_key: z.string().min(1).max(200).optional(),
  /** Ends the run when it has cost this much, in US dollars. */
  budget: z.number().positive().optional(),
  /** Ends the run when it has used this many tokens, read, sampled and trained on. */
  max_tokens: z.int().positive().optional(),
  /** Ends the run when it has made this many steps. */
  max_steps: z.int().positive().optional(),
});

export type RunRequest = z.infer<typeof runRequestSchema>;

/** Where each process writes what it says. */
export const runLogsSchema = z.object({ api: z.string(), trainer: z.string(), env: z.string() });

/** Reply of `POST /runs`: the run that was made, and where its logs are. */
export const runStartSchema = z.looseObject({
  run_id: z.string(),
  status: z.enum(RUN_STATES),
  environment: z.string(),
  config: z.record(z.string(), z.unknown()),
  config_path: z.string(),
  logs: runLogsSchema,
  wandb_project: z.string().nullable(),
  wandb_run_name: z.string().nullable(),
  estimate: runEstimateSchema.optional(),
  message: z.string(),
});

export type RunStart = z.infer<typeof runStartSchema>;

/** One process of a run, with what a person wants to know of it. */
export const runProcessSchema = z.looseObject({
  role: z.enum(RUN_ROLES),
  state: z.enum(RUN_PROCESS_STATES),
  pid: z.int().nullable(),
  port: z.int().nullable(),
  restarts: z.int().min(0),
  log: z.string(),
  /** Why it ended the last time. */
  reason: z.string().nullable(),
});

/** The newest values, by the keys that agents know. A key is absent while there is no value. */
export const statusMetricsSchema = z.looseObject({
  step: z.int().min(0),
  state: z.enum(['running', 'finished', 'crashed']),
  reward_mean: z.number().nullable().optional(),
  loss: z.number().nullable().optional(),
  percent_correct: z.number().nullable().optional(),
  eval_percent_correct: z.number().nullable().optional(),
});

/** Reply of `GET /runs/{id}`: its state, its processes, and how far it is. */
export const runStatusSchema = z.looseObject({
  run_id: z.string(),
  /** Absent from a server of a version that knew one kind. */
  kind: z.enum(RUN_KINDS).optional(),
  status: z.enum(RUN_STATES),
  /** Why it stands there, as a sentence. */
  reason: z.string().nullable(),
  environment: z.string(),
  /** Where there are several, all of them; `environment` is the first. */
  environments: z.array(z.object({ name: z.string(), weight: z.number() })).optional(),
  running_time_minutes: z.number().min(0),
  /** State by role, as old clients read it. */
  processes: z.object({ api: z.string(), trainer: z.string(), env: z.string() }),
  process_details: z.array(runProcessSchema),
  logs: runLogsSchema,
  metrics: statusMetricsSchema,
  /** Set when the run has failed. */
  error: z.string().optional(),
  total_steps: z.int().min(0).nullable(),
  /** Where inference answers while the run goes on. */
  inference_url: z.string().nullable(),
  weights_path: z.string().nullable(),
  config_path: z.string(),
  /** Where the metrics can be seen in a browser, when they went anywhere. */
  metrics_url: z.string().nullish(),
  /** User or team at W&B; null when the run is not there, or is kept offline. */
  wandb_entity: z.string().nullish(),
  wandb_project: z.string().nullable(),
  wandb_run_name: z.string().nullable(),
  /** The run that it is a fork of; null or absent where it is none. */
  fork_of: z.string().nullish(),
  /** Seconds the whole run is thought to take; the tool makes its interval from it. */
  estimated_seconds: z.number().min(0).nullable(),
  /** Milliseconds since 1970. */
  created_at: z.int(),
  started_at: z.int().nullable(),
  ended_at: z.int().nullable(),
  /** When the status became what it is. */
  changed_at: z.int(),
});

export type RunStatus = z.infer<typeof runStatusSchema>;

/** One line of `GET /runs`. */
export const runSummarySchema = z.looseObject({
  run_id: z.string(),
  kind: z.enum(RUN_KINDS).optional(),
  environment: z.string(),
  /** Where there are several, all of them; `environment` is the first. */
  environments: z.array(z.object({ name: z.string(), weight: z.number() })).optional(),
  status: z.enum(RUN_STATES),
  reason: z.string().nullable(),
  wandb_run_name: z.string().nullable(),
  /** The run that it is a fork of; null or absent where it is none. */
  fork_of: z.string().nullish(),
  created_at: z.int(),
  started_at: z.int().nullable(),
  ended_at: z.int().nullable(),
});

export type RunSummary = z.infer<typeof runSummarySchema>;

/** `GET /runs`: the newest first. */
export const runListSchema = z.looseObject({
  runs: z.array(runSummarySchema),
  count: z.int().min(0),
  /** Send it as `before` for the next page; null on the last. */
  next: z.string().nullable(),
});

export type RunList = z.infer<typeof runListSchema>;

/** Which runs `GET /runs` lists: by state, by environment, and how many. */
export const runListQuerySchema = z.strictObject({
  status: z.enum(RUN_STATES).optional(),
  environment: z.string().min(1).max(500).optional(),
  limit: z.int().min(1).max(10_000).optional(),
  before: z.string().min(1).max(100).optional(),
});

/** Reply of `POST /runs/{id}/stop`: the state the run is in now. */
export const runStopSchema = z.looseObject({ run_id: z.string(), status: z.enum(RUN_STATES), message: z.string() });

export type RunStop = z.infer<typeof runStopSchema>;

/** Reply of `POST /runs/{id}/resume`: the state the run is in now. */
export const runResumeSchema = z.looseObject({ run_id: z.string(), status: z.enum(RUN_STATES), message: z.string() });

/** One line of a run's history, linked to the one before by its hash. */
export const runEventSchema = z.looseObject({
  cursor: z.int().min(1),
  kind: z.string(),
  at: z.int(),
  data: z.unknown(),
  hash: z.string(),
});

/** Events behind this cursor; from the first on when left out. */
export const runEventQuerySchema = z.strictObject({ after: z.int().min(0).optional() });

/** `GET /runs/{id}/events?after=…`. */
export const runEventListSchema = z.looseObject({ run_id: z.string(), events: z.array(runEventSchema) });

export type RunEventList = z.infer<typeof runEventListSchema>;
