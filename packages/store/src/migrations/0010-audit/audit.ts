import type { Migration } from '../migration.ts';

/** Who did what: one chain of signed lines, and where it begins and ends. */
export const auditMigration: Migration = {
  number: 10,
  name: 'audit',
  // Only adds tables.
  minReader: 1,
  statements: () => [
    `create table audit_lines (
      tenant_id text not null,
      cursor bigint not null,
      action text not null,
      at bigint not null,
      data text not null,
      previous_hash text not null,
      hash text not null,
      key_id text not null,
      signature text not null,
      primary key (tenant_id, cursor)
    )`,
    // One chain for all tenants: two writers cannot both have the next number.
    'create unique index audit_lines_by_cursor on audit_lines (cursor)',
    `create table audit_heads (
      tenant_id text not null,
      log_id text not null,
      start_cursor bigint not null,
      start_hash text not null,
      start_at bigint not null,
      start_key_id text not null,
      start_signature text not null,
      cursor bigint not null,
      hash text not null,
      at bigint not null,
      key_id text not null,
      signature text not null,
      primary key (tenant_id)
    )`,
  ],
};
