import type { StoreDialect } from '../migration.ts';
import { hotTableOptions } from './table-options.ts';

/** Runs, their incarnations and the environments of each. */
export function runTables(dialect: StoreDialect): string[] {
  return [
    `create table runs (
      tenant_id text not null,
      run_id text not null,
      name text not null,
      created_at bigint not null,
      primary key (tenant_id, run_id),
      unique (tenant_id, name)
    )`,
    `create table run_incarnations (
      tenant_id text not null,
      incarnation_id text not null,
      run_id text not null,
      ordinal bigint not null,
      version bigint not null,
      state text not null,
      opened_at bigint not null,
      closed_at bigint,
      close_reason text,
      primary key (tenant_id, incarnation_id),
      unique (tenant_id, run_id, ordinal),
      foreign key (tenant_id, run_id) references runs (tenant_id, run_id)
    ) ${hotTableOptions(dialect)}`,
    `create table environments (
      tenant_id text not null,
      incarnation_id text not null,
      ordinal bigint not null,
      environment_id text not null,
      desired_name text not null,
      real_name text not null,
      weight double precision not null,
      max_context_len bigint not null,
      group_size bigint not null,
      min_batch_allocation double precision,
      connected integer not null,
      registered_at bigint not null,
      disconnected_at bigint,
      reason text,
      primary key (tenant_id, incarnation_id, ordinal),
      unique (tenant_id, environment_id),
      foreign key (tenant_id, incarnation_id) references run_incarnations (tenant_id, incarnation_id)
    )`,
  ];
}
