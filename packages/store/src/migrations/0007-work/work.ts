import type { Migration } from '../migration.ts';

/** Jobs of many items, leased one by one, and the turns of those under way. */
export const workMigration: Migration = {
  number: 7,
  name: 'work',
  // Only adds tables.
  minReader: 1,
  statements: (dialect) => {
    const bytes = dialect === 'postgres' ? 'bytea' : 'blob';
    return [
      `create table work_jobs (
        tenant_id text not null,
        name text not null,
        settings text not null,
        input_digest text not null,
        item_count bigint not null,
        next_request_at bigint not null,
        created_at bigint not null,
        changed_at bigint not null,
        primary key (tenant_id, name)
      )`,
      `create table work_items (
        tenant_id text not null,
        name text not null,
        item_index bigint not null,
        state text not null,
        attempt bigint not null,
        conversation bigint not null,
        epoch bigint not null,
        holder text,
        lease_expires_at bigint,
        ready_at bigint not null,
        cost double precision not null,
        reason text,
        input ${bytes},
        input_digest text,
        result ${bytes},
        result_digest text,
        changed_at bigint not null,
        primary key (tenant_id, name, item_index)
      )`,
      // What is still to do: it shrinks as the job goes on, so a claim near the end reads little.
      "create index work_items_open on work_items (tenant_id, name, item_index) where state in ('ready', 'leased')",
      'create index work_items_by_state on work_items (tenant_id, name, state)',
      `create table work_turns (
        tenant_id text not null,
        name text not null,
        item_index bigint not null,
        conversation bigint not null,
        turn_index bigint not null,
        payload ${bytes},
        payload_digest text,
        at bigint not null,
        primary key (tenant_id, name, item_index, conversation, turn_index)
      )`,
    ];
  },
};
