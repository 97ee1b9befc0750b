import type { Migration } from '../migration.ts';

/** The registry: versions of models, how they did, and which of them is promoted. */
export const modelsMigration: Migration = {
  number: 5,
  name: 'models',
  // Only adds tables.
  minReader: 1,
  statements: () => [
    `create table model_versions (
      tenant_id text not null,
      model_version_id text not null,
      name text not null,
      version bigint not null,
      base_model text not null,
      method text not null,
      weights_path text not null,
      state_path text,
      run text,
      step bigint,
      parent text,
      dataset text,
      config text not null,
      identity text not null,
      created_at bigint not null,
      primary key (tenant_id, model_version_id),
      unique (tenant_id, name, version),
      unique (tenant_id, identity)
    )`,
    `create table model_evaluations (
      tenant_id text not null,
      model_version_id text not null,
      evaluation_id text not null,
      name text not null,
      content text not null,
      content_digest text not null,
      created_at bigint not null,
      primary key (tenant_id, model_version_id, evaluation_id),
      unique (tenant_id, model_version_id, name, content_digest)
    )`,
    `create table model_promotions (
      tenant_id text not null,
      name text not null,
      ordinal bigint not null,
      kind text not null,
      model_version_id text not null,
      version bigint not null,
      reason text not null,
      author text not null,
      at bigint not null,
      primary key (tenant_id, name, ordinal)
    )`,
  ],
};
