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
  /**
   * Indexes on tables that may be large, made before the statements. PostgreSQL makes them while others write; this server starts when they are there.
   * One on a column that is new belongs to the migration after it.
   */
  indexes?: readonly MigrationIndex[];
}

export interface MigrationIndex {
  name: string;
  /** The table and what of it: `groups (tenant_id, run_id)`. */
  on: string;
}

/** The fingerprint that shows when a released migration was edited. Runs of white space count as one blank. */
export function computeMigrationChecksum(migration: Migration, dialect: StoreDialect): string {
  const text = migration.statements(dialect).map((statement) => statement.replaceAll(/\s+/g, ' ').trim());
  const indexes = (migration.indexes ?? []).map(({ name, on }) => `index ${name} on ${on}`);
  return createHash('sha256')
    .update([...text, ...indexes].join(';\n'))
    .digest('hex');
}
