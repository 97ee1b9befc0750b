import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';

export type Dialect = 'PostgreSQL' | 'SQLite';

/** The address of an empty database; undefined for SQLite, which is a file in the home. */
export async function openDatabase(context: ScenarioContext, dialect: Dialect): Promise<string | undefined> {
  if (dialect === 'SQLite') return undefined;
  const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'supervisor' });
  context.defer(() => database.drop());
  return database.url;
}
