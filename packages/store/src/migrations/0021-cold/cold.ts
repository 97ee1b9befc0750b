import type { Migration } from '../migration.ts';

/** What left the database for Parquet files among the payloads, and where of a file the content of a turn is. */
export const coldMigration: Migration = {
  number: 21,
  name: 'cold',
  // Only adds: a server of the version before takes the file for the content of a turn and says that it cannot be read; it finds
  // none before somebody says how long things stay in the database.
  minReader: 1,
  statements: () => [
    'alter table turns add column cold_row bigint',
    'alter table trajectories add column cold_version bigint',
    `create table cold_files (
      tenant_id text not null,
      digest text not null,
      kind text not null,
      run_id text,
      row_count bigint not null,
      bytes bigint not null,
      last_at bigint not null,
      made_at bigint not null,
      primary key (tenant_id, digest)
    )`,
    'create index cold_files_by_kind on cold_files (tenant_id, kind, run_id, last_at)',
  ],
};
