import type { Migration } from '../migration.ts';

/** Improvements of models: where each stands, who brings it on, and what each of its stages came to. */
export const improvementsMigration: Migration = {
  number: 6,
  name: 'improvements',
  // Only adds tables.
  minReader: 1,
  statements: () => [
    `create table improvements (
      tenant_id text not null,
      improvement_id text not null,
      model text not null,
      plan text not null,
      stage text not null,
      outcome text,
      reason text,
      problem text,
      created_at bigint not null,
      changed_at bigint not null,
      ended_at bigint,
      epoch bigint not null,
      holder text,
      lease_expires_at bigint,
      primary key (tenant_id, improvement_id)
    )`,
    // Two at once would train from the same start and promote over one another.
    `create unique index improvements_open on improvements (tenant_id, model) where ended_at is null`,
    `create index improvements_by_model on improvements (tenant_id, model, created_at)`,
    `create table improvement_stages (
      tenant_id text not null,
      improvement_id text not null,
      ordinal bigint not null,
      stage text not null,
      content text not null,
      at bigint not null,
      primary key (tenant_id, improvement_id, ordinal)
    )`,
  ],
};
