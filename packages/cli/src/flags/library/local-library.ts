import { LOCAL_TENANT } from '@lachesis/protocol/names';
import type { BlobStore, Store } from '@lachesis/store';
import { readText } from '../read-value.ts';
import { drainHome } from './drain-home.ts';
import { openLocalStore, readStorePlace, type LocalStore } from './open-local-store.ts';

export const localLibraryFlags = {
  home: { type: 'string', description: 'folder of the SQLite database and the blobs [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: LOCAL_TENANT, description: 'whose records' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export interface LocalLibrary {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  audit: LocalStore['audit'];
}

/** Opens the library of this machine for one command. What recorders have left is brought in first, so that the last call is there to be seen. */
export async function withLocalLibrary(
  args: Record<string, unknown>,
  work: (library: LocalLibrary) => Promise<void>,
): Promise<void> {
  const place = readStorePlace(args);
  await using local = await openLocalStore(place);
  const { store, blobs, audit } = local;
  await drainHome({ local, place });
  await work({ store, blobs, tenantId: readText(args, 'tenant') ?? LOCAL_TENANT, audit });
}
