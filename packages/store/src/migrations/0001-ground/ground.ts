import type { Migration } from '../migration.ts';
import { historyTables } from './history-tables.ts';
import { platformTables } from './platform-tables.ts';
import { queueTables } from './queue-tables.ts';
import { runTables } from './run-tables.ts';
import { trainingTables } from './training-tables.ts';

/** The first schema: every table has the tenant first in its key. */
export const groundMigration: Migration = {
  number: 1,
  name: 'ground',
  minReader: 1,
  statements: (dialect) => [
    ...runTables(dialect),
    ...queueTables(dialect),
    ...historyTables(),
    ...trainingTables(),
    ...platformTables(),
  ],
};
