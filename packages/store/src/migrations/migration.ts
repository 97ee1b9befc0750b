import { createHash } from 'node:crypto';

/** The databases we run on. */
export type StoreDialect = 'sqlite' | 'postgres';

/** One numbered change of the schema. */
export interface Migration {
  /** 1, 2, 3, … without gaps. */
  number: number;
  name: string;
  /**
   * The oldest server, by the number of its newest migration, that works on the schema after this change. A change that
   * only adds keeps the value of the migration before it, so servers of the last release go on beside new ones.
   */
  minReader: number;
  /** Plain statements, run in order in one transaction. They never change once released: their checksum is stored. */
  statements(dialect: StoreDialect): readonly string[];
}

/** The fingerprint that shows when a released migration was edited. Runs of white space count as one blank. */
export function computeMigrationChecksum(migration: Migration, dialect: StoreDialect): string {
  const text = migration.statements(dialect).map((statement) => statement.replaceAll(/\s+/g, ' ').trim());
  return createHash('sha256').update(text.join(';\n')).digest('hex');
}
