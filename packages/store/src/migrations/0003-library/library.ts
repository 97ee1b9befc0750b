import type { Migration } from '../migration.ts';
import { captureTables } from './capture-tables.ts';
import { datasetTables } from './dataset-tables.ts';
import { feedbackTables } from './feedback-tables.ts';
import { searchTables } from './search-tables.ts';
import { trajectoryColumns } from './trajectory-columns.ts';

/** The library: what agents did, what people think of it, and the data sets made from both. */
export const libraryMigration: Migration = {
  number: 3,
  name: 'library',
  // Only adds: no server before it wrote a trajectory or a turn.
  minReader: 1,
  statements: (dialect) => [
    ...trajectoryColumns(dialect),
    ...captureTables(dialect),
    ...searchTables(dialect),
    ...feedbackTables(),
    ...datasetTables(),
  ],
};
