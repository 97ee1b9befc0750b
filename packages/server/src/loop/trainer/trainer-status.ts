/** What a trainer is doing, for people, the control plane and `lachesis train`. */
export interface TrainerStatus {
  /** `waiting`: for groups. `failed` and `finished` are ends. */
  state: 'failed' | 'finished' | 'publishing' | 'starting' | 'stopped' | 'training' | 'waiting';
  /** One sentence: who waits for whom, or what went wrong. */
  detail: string;
  step: number;
  total_steps: number;
  policy_version: number;
  model_id: string | null;
  base_model: string | null;
  /** The last saved weights, a `tinker://` path. */
  weights_path: string | null;
  /** How this process came to its weights. */
  origin: 'attached' | 'new' | 'restored' | null;
  /** Steps that were lost when the weights went back to a checkpoint. */
  lost_steps: number;
  alarms: number;
  /** Why it is finished: all steps are made, or replies went too far from the weights it began with. */
  ended_by: 'kl-budget' | 'steps' | null;
  metrics: Readonly<Record<string, number>>;
  started_at: number;
}

export function createStatus(options: { totalSteps: number; startedAt: number }): TrainerStatus {
  return {
    state: 'starting',
    detail: 'connecting to the trajectory API',
    step: 0,
    total_steps: options.totalSteps,
    policy_version: 0,
    model_id: null,
    base_model: null,
    weights_path: null,
    origin: null,
    lost_steps: 0,
    alarms: 0,
    ended_by: null,
    metrics: {},
    started_at: options.startedAt,
  };
}
