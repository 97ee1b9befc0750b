import { startPostgres } from '../../../peers/postgres/start-postgres.ts';
import type { Postgres, StartPostgresOptions } from '../../../peers/postgres/start-postgres.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';

/** A PostgreSQL of the show's own, because it will be stopped the hard way. */
export async function openPostgres(context: ScenarioContext, options: StartPostgresOptions = {}): Promise<Postgres> {
  const postgres = await startPostgres(options);
  context.defer(async () => {
    await postgres[Symbol.asyncDispose]();
  });
  return postgres;
}
