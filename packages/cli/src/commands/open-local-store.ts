import { readTrajectoryApiSettings } from '@lachesis/server';
import { openFileBlobs, openStore, type FileBlobs, type Store } from '@lachesis/store';
import { join } from 'node:path';

/** What a command without a server works on. */
export interface LocalStore extends AsyncDisposable {
  readonly store: Store;
  readonly blobs: FileBlobs;
}

/** Opens the database that was named, or SQLite in the home, and the blobs beside it. */
export async function openLocalStore(place: { home: string; databaseUrl: string | undefined }): Promise<LocalStore> {
  const { home, databaseUrl } = place;
  const store = await openStore(
    databaseUrl === undefined ? { sqlitePath: join(home, 'lachesis.db') } : { databaseUrl },
  );
  return {
    store,
    blobs: openFileBlobs({ directory: join(home, 'blobs') }),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** Where the flags `--home` and `--database-url`, or what stands for them in the environment, say it is. */
export function readStorePlace(args: Record<string, unknown>): { home: string; databaseUrl: string | undefined } {
  const { values } = readTrajectoryApiSettings(
    {
      ...(args['home'] === undefined ? {} : { home: args['home'] }),
      ...(args['database-url'] === undefined ? {} : { databaseUrl: args['database-url'] }),
    },
    process.env,
  );
  return values;
}
