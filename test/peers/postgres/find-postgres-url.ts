import { startPostgres } from './start-postgres.ts';

/** The server that the environment names, or one of our own for as long as the caller needs it. */
export async function findPostgresUrl(context: { defer(end: () => Promise<void>): void }): Promise<string> {
  const given = process.env['DATABASE_URL_TEST'];
  if (given !== undefined && given !== '') return given;
  const postgres = await startPostgres();
  context.defer(async () => {
    await postgres[Symbol.asyncDispose]();
  });
  return postgres.url;
}
