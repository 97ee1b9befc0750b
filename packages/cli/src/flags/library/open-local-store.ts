import { readTrajectoryApiSettings } from '@lachesis/server';
import { openHome, type CollectableBlobs, type Store } from '@lachesis/store';
import { recordLocalAction, type LocalAction } from './record-local-action.ts';

/** What a command without a server works on. */
export interface LocalStore extends AsyncDisposable {
  readonly store: Store;
  readonly blobs: CollectableBlobs;
  /** Writes into the audit log what a command did here. */
  audit(action: LocalAction): Promise<void>;
}

/** Opens the database that was named, or SQLite in the home, and the blobs beside it. */
export async function openLocalStore(place: { home: string; databaseUrl: string | undefined }): Promise<LocalStore> {
  const opened = await openHome(place);
  const { store, blobs } = opened;
  return {
    store,
    blobs,
    audit: (action) => recordLocalAction({ store, home: place.home }, action),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
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
