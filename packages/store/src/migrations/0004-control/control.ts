import type { Migration } from '../migration.ts';
import { createMetricBlocks } from './metric-blocks.ts';

/** Runs as a supervisor keeps them: where each stands, who looks after it, and its processes. */
export const controlMigration: Migration = {
  number: 4,
  name: 'control',
  // Only adds tables.
  minReader: 1,
  statements: (dialect) => [
    `create table training_runs (
      tenant_id text not null,
      run_id text not null,
      short_id text not null,
      environment text not null,
      state text not null,
      reason text,
      outcome text,
      config text not null,
      details text not null,
      idempotency_key text,
      stop_requested_at bigint,
      created_at bigint not null,
      started_at bigint,
      ended_at bigint,
      changed_at bigint not null,
      epoch bigint not null,
      holder text,
      lease_expires_at bigint,
      event_cursor bigint not null,
      event_hash text not null,
      primary key (tenant_id, run_id),
      unique (tenant_id, short_id),
      unique (tenant_id, idempotency_key)
    )`,
    // The supervisor asks for those that have not ended, of every tenant; they stay few beside the ended ones.
    'create index training_runs_open on training_runs (state, tenant_id, run_id) where ended_at is null',
    'create index training_runs_by_state on training_runs (tenant_id, state, run_id)',
    'create index training_runs_by_environment on training_runs (tenant_id, environment, run_id)',
    `create table run_processes (
      tenant_id text not null,
      run_id text not null,
      role text not null,
      state text not null,
      instance_id text,
      pid bigint,
      pid_started text,
      port bigint,
      restarts bigint not null,
      deaths text not null,
      start_after bigint,
      reason text,
      log_path text not null,
      updated_at bigint not null,
      primary key (tenant_id, run_id, role)
    )`,
    ...createMetricBlocks(dialect),
  ],
};
