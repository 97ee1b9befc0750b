import type { RunStatus } from '@lachesis/protocol';

export const STARTED_AT = 1_700_000_000_000;

/** A run that goes well; a test changes what it is about. */
export const makeRun = (change: Partial<RunStatus> = {}): RunStatus => ({
  run_id: 'k3v9x2ab',
  status: 'running',
  reason: null,
  environment: 'digits',
  running_time_minutes: 2,
  processes: { api: 'running', trainer: 'running', env: 'running' },
  process_details: (['api', 'trainer', 'env'] as const).map((role, index) => ({
    ...{ role, state: 'running' as const, pid: 100 + index, port: role === 'env' ? null : 8_000 + index },
    ...{ restarts: 0, log: `/logs/${role}.log`, reason: null },
  })),
  logs: { api: '/logs/api.log', trainer: '/logs/trainer.log', env: '/logs/env.log' },
  metrics: { step: 10, state: 'running', reward_mean: 0.5, loss: -0.01 },
  total_steps: 40,
  inference_url: null,
  weights_path: 'tinker://model_1/policy-10',
  config_path: '/runs/k3v9x2ab/config.yaml',
  wandb_project: null,
  wandb_run_name: 'digits-20260101-000000',
  estimated_seconds: 60,
  created_at: STARTED_AT,
  started_at: STARTED_AT,
  ended_at: null,
  changed_at: STARTED_AT,
  ...change,
});
