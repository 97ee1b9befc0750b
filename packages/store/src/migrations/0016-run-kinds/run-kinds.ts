import type { Migration } from '../migration.ts';

/** What a run does: until here only those that roll out and are rewarded had a row. */
export const runKindsMigration: Migration = {
  number: 16,
  name: 'run-kinds',
  // Only adds a column, with what every row was before.
  minReader: 14,
  statements: () => ["alter table training_runs add column kind text not null default 'rl'"],
};
