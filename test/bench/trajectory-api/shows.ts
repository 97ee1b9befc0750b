import { findPostgresUrl } from '../../peers/postgres/find-postgres-url.ts';
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
