import { startPostgres } from '../../peers/postgres/start-postgres.ts';
import type { Show, ShowContext } from '../../shows/show.ts';
import { createStarter } from './contenders.ts';
import type { StartContender } from './contenders.ts';
import { createShows } from './create-shows.ts';

export const shows: Show[] = createShows({ start: startFor });

/** Postgres is the one the environment names, or one of our own for the length of the show. */
function startFor(context: ShowContext): StartContender {
  let url: Promise<string> | undefined;
  return createStarter({ postgresUrl: () => (url ??= findPostgresUrl(context)) });
}

async function findPostgresUrl(context: ShowContext): Promise<string> {
  const given = process.env['DATABASE_URL_TEST'];
  if (given !== undefined && given !== '') return given;
  const postgres = await startPostgres();
  context.defer(async () => {
    await postgres[Symbol.asyncDispose]();
  });
  return postgres.url;
}
