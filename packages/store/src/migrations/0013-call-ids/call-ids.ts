import type { Migration } from '../migration.ts';

/** Which of several conversations of the same words a call goes on with: the one whose call ids it sends back. */
export const callIdsMigration: Migration = {
  number: 13,
  name: 'call-ids',
  // Only adds a column; what was recorded before is told apart by its words alone.
  minReader: 1,
  statements: () => ['alter table turns add column call_prefixes text'],
};
