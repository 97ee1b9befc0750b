import type { Migration } from '../migration.ts';

/** Tokens that name a run, tokens of our own processes, and when a token was last used. */
export const grantsMigration: Migration = {
  number: 8,
  name: 'grants',
  // Only adds columns; a token written by a server before this one is a person's, for every run.
  minReader: 1,
  statements: () => [
    "alter table tokens add column kind text not null default 'person'",
    'alter table tokens add column run text',
    'alter table tokens add column last_used_at bigint',
    // Those of one run are ended together.
    'create index tokens_by_run on tokens (tenant_id, run) where run is not null',
  ],
};
