import type { Migration } from '../migration.ts';

/** Who is to bring an improvement on when nobody does, and what it is doing. */
export const improvementRunnerMigration: Migration = {
  number: 15,
  name: 'improvement-runner',
  // Only adds columns; what the version before begins has neither, and waits for somebody to resume it, as it always did.
  minReader: 14,
  statements: () => [
    'alter table improvements add column runner text',
    'alter table improvements add column progress text',
  ],
};
