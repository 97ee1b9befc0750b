import type { Migration } from '../migration.ts';

/** Takes away two tables and two columns that no version has ever written anything to. */
export const unusedMigration: Migration = {
  number: 14,
  name: 'unused',
  // The version before names the columns, always as null, in every group and trajectory it writes.
  minReader: 14,
  statements: () => [
    'drop table attempts',
    'drop table sequences',
    'alter table groups drop column attempt_id',
    'alter table trajectories drop column attempt_id',
  ],
};
