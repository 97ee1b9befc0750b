import {
  Kysely,
  PostgresQueryCompiler,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
} from 'kysely';
import type { Store } from '../database/store.ts';
import type { Database } from '../schema/database.ts';

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\b/i;

const HINT = 'A holder of a lease writes with commit, which asks whether it still has it.';

/** The queries of a store for reading, and for making statements of a commit. */
export function refuseWrites({ db, dialect }: Pick<Store, 'db' | 'dialect'>): Kysely<Database> {
  const refuse = (): Promise<never> => Promise.reject(new Error(`A transaction is not fenced. ${HINT}`));
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery) {
      if (WRITES.test(query.sql)) throw new Error(`${query.sql.slice(0, 60)}…: this write is not fenced. ${HINT}`);
      return await db.executeQuery<Row>(query);
    },
    streamQuery: () => {
      throw new Error(`Rows of a fenced store are read in pages, not as a stream.`);
    },
  };
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => db.getExecutor().adapter,
      createDriver: () => driver,
      createIntrospector: () => db.introspection,
      createQueryCompiler: () => (dialect === 'postgres' ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    },
  });
}
