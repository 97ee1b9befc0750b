import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { createLibraryClient, type LibraryClient } from '@lachesis/sdk';
import type { ControlSettings } from '@lachesis/server';
import { createLocalLibrary } from '@lachesis/server/services';
import { fail } from '../../terminal/fail.ts';
import { describeLibraryError } from './describe-error.ts';
import { drainHome, openIngestParts } from './drain-home.ts';
import { locateLibrary, type LibraryArguments } from './locate-library.ts';
import { openLocalStore } from './open-local-store.ts';

/** Where the library is; every command that reads it takes these. */
export const libraryFlags = {
  server: {
    type: 'string',
    description: 'address of the control server; without it the one on port 8080, or the local store [LACHESIS_URL]',
  },
  token: { type: 'string', description: 'token for the server (default: that of the home) [LACHESIS_TOKEN]' },
  home: { type: 'string', description: 'folder of the local store [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL of the store instead of SQLite [DATABASE_URL]' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

/** The same for commands that can look at the things of another tenant, in a local store. */
export const tenantFlags = {
  ...libraryFlags,
  tenant: { type: 'string', description: 'whose things, in a local store (default: local)' },
} as const;

/** Opens the library, does the work, and lets go. What goes wrong ends the command with one sentence. */
export async function withLibrary(
  args: LibraryArguments,
  work: (library: LibraryClient) => Promise<void>,
): Promise<void> {
  try {
    const { library, close } = await openLibrary(args);
    try {
      await work(library);
    } finally {
      await close();
    }
  } catch (error) {
    fail(describeLibraryError(error));
  }
}

async function openLibrary(args: LibraryArguments): Promise<{ library: LibraryClient; close(): Promise<void> }> {
  const location = await locateLibrary(args);
  if (location.kind === 'local') return openLocal(location.settings, args.tenant);
  return { library: createLibraryClient({ url: location.url, token: location.token }), close: async () => undefined };
}

/** Without a server nobody has read the outboxes: that is done first, so that the last call is there to be seen. */
async function openLocal(
  settings: ControlSettings,
  tenantId = LOCAL_TENANT,
): Promise<{ library: LibraryClient; close(): Promise<void> }> {
  const { store, blobs, audit } = await openLocalStore(settings);
  try {
    await drainHome({ local: { store, blobs }, place: settings });
    const parts = openIngestParts({ store, blobs });
    const library = createLocalLibrary({ parts, tenantId, audit });
    return { library, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
