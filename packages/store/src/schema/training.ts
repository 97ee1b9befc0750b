/** A run as people start, watch and stop it. Its name in the loop is its short id. */
export interface TrainingRunsTable {
  tenant_id: string;
  run_id: string;
  /** What people type: eight characters or a name that was given, unique within the tenant. */
  short_id: string;
  environment: string;
  /** What it does, such as `rl` or `sft`. */
  kind: string;
  state: string;
  /** Why it stands there, as a sentence. */
  reason: string | null;
  /** The final state that `stopping` leads to. */
  outcome: string | null;
  /** JSON text: the resolved configuration. */
  config: string;
  /** JSON text: what its starter wants to find again, such as paths. */
  details: string;
  /** The same key of a request gives the same run. */
  idempotency_key: string | null;
  stop_requested_at: number | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** When the state became what it is. */
  changed_at: number;
  /** The end of the run's chain of events: the next one is linked to it in the same commit. */
  event_cursor: number;
  event_hash: string;
}

/** One process of a run: what must be known to find it again after everybody who knew it is gone. */
export interface RunProcessesTable {
  tenant_id: string;
  run_id: string;
  /** `api`, `trainer` or `env`. */
  role: string;
  state: string;
  /** Written before the process starts, and handed to it: one that carries another is not the one we count on. */
  instance_id: string | null;
  pid: number | null;
  /** When the system says the pid began; a pid that is used again has another. */
  pid_started: string | null;
  port: number | null;
  /** The machine it was started on; rows of servers that did not know of machines have none. */
  host: string | null;
  restarts: number;
  /** JSON text: the times of its deaths that still count. */
  deaths: string;
  /** Not to be started before this moment of the database's clock. */
  start_after: number | null;
  reason: string | null;
  log_path: string;
  updated_at: number;
}

/**
 * How far a step has come. `leased`: its batch is held. `submitted`: its gradients may be with the engine. `passed`: they
 * are all there. `updating`: it has several updates, and the weights hold some of them. `stepped`: the weights have moved. `saved`: they can be sampled from. `done`: published and acknowledged.
 * `empty`: the batch held nothing to learn from. `returned`: the batch was given back. `lost`: the weights went back to an
 * earlier checkpoint, without this step.
 */
export const STEP_STATES = Object.freeze([
  'leased',
  'submitted',
  'passed',
  'updating',
  'stepped',
  'saved',
  'done',
  'empty',
  'returned',
  'lost',
] as const);
export type StepState = (typeof STEP_STATES)[number];

/** One optimiser step of the trainer. */
export interface StepsTable {
  tenant_id: string;
  step_id: string;
  run_id: string;
  incarnation_id: string;
  step: number;
  batch_id: string | null;
  policy_version: number | null;
  started_at: number;
  ended_at: number | null;
  state: StepState | null;
  /** The epoch of the lease under which the batch is held. */
  epoch: number | null;
  group_count: number | null;
  /** The engine's name for the model that was stepped. */
  model_id: string | null;
  /** The number of the first request of this step in the engine's sequence of the model. */
  first_sequence: number | null;
  weights_path: string | null;
  /** Weights and optimiser after this step, where the engine keeps them. */
  state_path: string | null;
  /** Why it ended as it did, when that is no ordinary end. */
  reason: string | null;
}

/** The rollouts of one step as the trainer reported them; the groups themselves are those of its batch. */
export interface StepRolloutsTable {
  tenant_id: string;
  incarnation_id: string;
  step: number;
  run_id: string;
  batch_id: string;
  /** The version of the weights before the step. */
  policy_version: number;
  group_count: number;
  rollout_count: number;
  trained_tokens: number;
  /** Null where no rollout has a finite score. */
  reward_mean: number | null;
  reward_low: number | null;
  reward_high: number | null;
  /** JSON text: the item of each group, in the order of the batch. */
  items: string;
  /** Scores, advantages and measures of each sequence: a blob. Null once it is no longer kept. */
  report_digest: string | null;
  report_bytes: number;
  /** Log probabilities of the trainer: a blob, for the steps and sequences whose are kept. */
  logprobs_digest: string | null;
  logprobs_bytes: number;
  /** What the payloads of its groups take. */
  payload_bytes: number;
  recorded_at: number;
  /** When its payloads were let go of. */
  dropped_at: number | null;
}

/** Weights and optimiser that training can go on from. */
export interface CheckpointsTable {
  tenant_id: string;
  checkpoint_id: string;
  run_id: string;
  incarnation_id: string;
  step: number;
  policy_version: number;
  model_id: string;
  state_path: string;
  /** The same weights for sampling and download. */
  weights_path: string | null;
  /** 0 or 1. */
  is_final: number;
  /** How it did in an evaluation; the highest one is kept. */
  evaluation: number | null;
  created_at: number;
  deleted_at: number | null;
}

/** Weights that were published to inference. */
export interface PolicyVersionsTable {
  tenant_id: string;
  policy_version_id: string;
  run_id: string;
  /** 0 is the base model. */
  version: number;
  step: number | null;
  /** Where the weights are, such as a `tinker://` path. */
  weights_path: string | null;
  weights_digest: string | null;
  published_at: number;
}

/** One point of a metric series such as `train/loss`. */
export interface MetricPointsTable {
  tenant_id: string;
  run_id: string;
  series: string;
  step: number;
  at: number;
  /** Null when the trainer reported something that is not a finite number: SQLite cannot store NaN. */
  value: number | null;
}

/** What a stretch of a series comes to, so that a chart of a long one need not read every point. */
export interface MetricBlocksTable {
  tenant_id: string;
  run_id: string;
  series: string;
  /** How many steps it stands for: 10, 100 or 1,000. */
  width: number;
  /** Counts from step 1: block 0 of width 10 holds the steps 1 to 10. */
  block: number;
  last_step: number;
  /** Points with a value. */
  points: number;
  /** The sum of the values, divided by 2^40: a sum of large numbers is an error on PostgreSQL. */
  total: number;
  lowest: number | null;
  highest: number | null;
}

/** How an item of an environment did of late; the older rollouts count for less. */
export interface ItemRatesTable {
  tenant_id: string;
  run_id: string;
  environment: string;
  item: string;
  rollouts: number;
  passed: number;
  recorded_at: number;
}
