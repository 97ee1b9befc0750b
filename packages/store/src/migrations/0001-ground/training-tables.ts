/** What the trainer and the agents leave behind: attempts, steps, policy versions, trajectories, turns, metrics. */
export function trainingTables(): string[] {
  return [
    `create table attempts (
      tenant_id text not null,
      attempt_id text not null,
      run_id text not null,
      rollout_id text not null,
      ordinal bigint not null,
      environment_id text,
      worker text,
      outcome text,
      reason text,
      started_at bigint not null,
      ended_at bigint,
      primary key (tenant_id, attempt_id),
      unique (tenant_id, rollout_id, ordinal)
    )`,
    `create table steps (
      tenant_id text not null,
      step_id text not null,
      run_id text not null,
      incarnation_id text not null,
      step bigint not null,
      batch_id text,
      policy_version bigint,
      started_at bigint not null,
      ended_at bigint,
      primary key (tenant_id, step_id),
      unique (tenant_id, incarnation_id, step)
    )`,
    `create table policy_versions (
      tenant_id text not null,
      policy_version_id text not null,
      run_id text not null,
      version bigint not null,
      step bigint,
      weights_path text,
      weights_digest text,
      published_at bigint not null,
      primary key (tenant_id, policy_version_id),
      unique (tenant_id, run_id, version)
    )`,
    `create table trajectories (
      tenant_id text not null,
      trajectory_id text not null,
      run_id text,
      rollout_id text,
      attempt_id text,
      environment_id text,
      outcome text,
      reason text,
      split text not null,
      consent text not null,
      turn_count bigint not null,
      started_at bigint not null,
      ended_at bigint,
      primary key (tenant_id, trajectory_id)
    )`,
    `create index trajectories_by_run on trajectories (tenant_id, run_id, started_at)`,
    `create table turns (
      tenant_id text not null,
      turn_id text not null,
      trajectory_id text not null,
      turn_index bigint not null,
      role text not null,
      policy_version bigint,
      token_count bigint,
      payload_digest text,
      payload_bytes bigint,
      at bigint not null,
      primary key (tenant_id, turn_id),
      unique (tenant_id, trajectory_id, turn_index)
    )`,
    `create table metric_points (
      tenant_id text not null,
      run_id text not null,
      series text not null,
      step bigint not null,
      at bigint not null,
      value double precision,
      primary key (tenant_id, run_id, series, step, at)
    )`,
  ];
}
