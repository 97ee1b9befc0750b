import type { Migration } from '../migration.ts';

/** Which token a recorded trajectory was begun with. */
export const ownersMigration: Migration = {
  number: 11,
  name: 'owners',
  // Only adds a column; what was recorded before has no owner.
  minReader: 1,
  statements: () => ['alter table trajectories add column owner text'],
};
