/**
 * How far a step has come. `leased`: its batch is held. `submitted`: its gradients may be with the engine. `passed`: they
 * are all there. `stepped`: the weights have moved. `saved`: they can be sampled from. `done`: published and acknowledged.
 * `empty`: the batch held nothing to learn from. `returned`: the batch was given back. `lost`: the weights went back to an
 * earlier checkpoint, without this step.
 */
export const STEP_STATES = Object.freeze([
  'leased',
  'submitted',
  'passed',
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
