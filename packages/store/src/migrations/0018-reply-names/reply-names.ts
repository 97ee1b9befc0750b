import type { Migration } from '../migration.ts';

/** Replies are found by the names an application has for them, and feedback may come before its reply. */
export const replyNamesMigration: Migration = {
  number: 18,
  name: 'reply-names',
  // Only adds tables: an older server beside it writes no names and attaches nothing, and a newer one does so later.
  minReader: 1,
  statements: () => [
    `create table turn_names (
      tenant_id text not null,
      name text not null,
      trajectory_id text not null,
      turn_index bigint not null,
      primary key (tenant_id, name, trajectory_id, turn_index)
    )`,
    'create index turn_names_by_trajectory on turn_names (tenant_id, trajectory_id)',
    `create table waiting_feedback (
      tenant_id text not null,
      author text not null,
      key text not null,
      feedback_id text not null,
      name text not null,
      content text not null,
      created_at bigint not null,
      primary key (tenant_id, author, key)
    )`,
    'create index waiting_feedback_by_name on waiting_feedback (tenant_id, name)',
    'create index waiting_feedback_by_age on waiting_feedback (created_at)',
  ],
};
