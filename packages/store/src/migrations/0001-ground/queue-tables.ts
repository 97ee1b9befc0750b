import type { StoreDialect } from '../migration.ts';
import { hotTableOptions } from './table-options.ts';

/**
 * What waits and travels, apart from what is finished. The hot tables have no index but their key: a queue is loaded
 * whole by (tenant_id, incarnation_id), and PostgreSQL updates a row in place only while no indexed column changes.
 * There are no foreign keys here: they would lock the incarnation's row, which every commit updates.
 */
export function queueTables(dialect: StoreDialect): string[] {
  return [
    `create table ready_groups (
      tenant_id text not null,
      incarnation_id text not null,
      position bigint not null,
      group_id text not null,
      place text not null,
      env_ordinal bigint,
      sequence_count bigint not null,
      token_count bigint not null,
      payload_digest text not null,
      payload_bytes bigint not null,
      failures bigint not null,
      flags text not null,
      primary key (tenant_id, incarnation_id, group_id)
    ) ${hotTableOptions(dialect)}`,
    `create table open_batches (
      tenant_id text not null,
      incarnation_id text not null,
      batch_id text not null,
      ordinal bigint not null,
      state text not null,
      epoch bigint not null,
      attempts bigint not null,
      owner text not null,
      lease_expires_at bigint,
      group_ids text not null,
      formed_at bigint not null,
      primary key (tenant_id, incarnation_id, batch_id)
    ) ${hotTableOptions(dialect)}`,
    `create table post_receipts (
      tenant_id text not null,
      incarnation_id text not null,
      env_key text not null,
      body_digest text not null,
      receipt_id text not null,
      reply text not null,
      received_at bigint not null,
      primary key (tenant_id, incarnation_id, receipt_id)
    )`,
    `create index post_receipts_by_body on post_receipts (tenant_id, incarnation_id, env_key, body_digest)`,
    `create index post_receipts_by_time on post_receipts (received_at)`,
    `create table idempotency_keys (
      tenant_id text not null,
      run_id text not null,
      key text not null,
      body_digest text not null,
      reply text not null,
      created_at bigint not null,
      primary key (tenant_id, run_id, key)
    )`,
    `create index idempotency_keys_by_time on idempotency_keys (created_at)`,
  ];
}
