import type { Migration } from '../migration.ts';

/** What the trainer needs to go on after a crash: where each step stands, and which checkpoints there are. */
export const trainingMigration: Migration = {
  number: 2,
  name: 'training',
  // Only adds: a server that knows the first migration alone goes on beside it.
  minReader: 1,
  statements: () => [
    'alter table steps add column state text',
    'alter table steps add column epoch bigint',
    'alter table steps add column group_count bigint',
    'alter table steps add column model_id text',
    'alter table steps add column first_sequence bigint',
    'alter table steps add column weights_path text',
    'alter table steps add column state_path text',
    'alter table steps add column reason text',
    'create index steps_by_batch on steps (tenant_id, batch_id)',
    `create table checkpoints (
      tenant_id text not null,
      checkpoint_id text not null,
      run_id text not null,
      incarnation_id text not null,
      step bigint not null,
      policy_version bigint not null,
      model_id text not null,
      state_path text not null,
      weights_path text,
      is_final bigint not null,
      evaluation double precision,
      created_at bigint not null,
      deleted_at bigint,
      primary key (tenant_id, checkpoint_id),
      unique (tenant_id, incarnation_id, step)
    )`,
  ],
};
