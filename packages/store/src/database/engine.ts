import type { Dialect } from 'kysely';
import type { StoreDialect } from '../migrations/migration.ts';
import type { CommitReceipt, WriteUnit } from './store.ts';

/** A database that was opened: what `openStore` needs of each kind. */
export interface DatabaseEngine {
  readonly dialect: StoreDialect;
  /** Several query builders with different deadlines may share one engine. */
  createKyselyDialect(options: { deadlineMs: number }): Dialect;
  commit(unit: WriteUnit, deadlineMs: number): Promise<CommitReceipt>;
  close(): Promise<void>;
}
