import type { Migration } from '../migration.ts';

/** Which blobs belong to the database, and on which machine each process of a run lives. */
export const homeMigration: Migration = {
  number: 9,
  name: 'home',
  // Adds a table, and a column that may be empty.
  minReader: 1,
  statements: () => [
    `create table library (
      slot bigint not null primary key,
      library_id text not null,
      opening text,
      created_at bigint not null
    )`,
    'alter table run_processes add column host text',
  ],
};
