import type { Migration } from '../migration.ts';

/** What the trainer says of the rollouts of each of its steps, so that they can be read afterwards. */
export const stepRolloutsMigration: Migration = {
  number: 17,
  name: 'step-rollouts',
  // Only adds a table: older servers go on beside it, and their steps have no row.
  minReader: 1,
  statements: () => [
    `create table step_rollouts (
      tenant_id text not null,
      incarnation_id text not null,
      step bigint not null,
      run_id text not null,
      batch_id text not null,
      policy_version bigint not null,
      group_count bigint not null,
      rollout_count bigint not null,
      trained_tokens bigint not null,
      reward_mean double precision,
      reward_low double precision,
      reward_high double precision,
      items text not null,
      report_digest text,
      report_bytes bigint not null,
      logprobs_digest text,
      logprobs_bytes bigint not null,
      payload_bytes bigint not null,
      recorded_at bigint not null,
      dropped_at bigint,
      primary key (tenant_id, incarnation_id, step)
    )`,
  ],
};
