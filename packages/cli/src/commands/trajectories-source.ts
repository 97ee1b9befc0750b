import { collectSecretValues, createRedactor, redactRecord } from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { createLibraryClient, type LibraryClient } from '@lachesis/sdk';
import { drainOutbox, openOutboxFolder } from '@lachesis/sdk/capture';
import { identifyLibrary, readControlSettings, type ControlSettings } from '@lachesis/server';
import { fail } from '../fail.ts';
import { readOrFail } from './keep-serving.ts';
import { openLocalStore } from './open-local-store.ts';
import { findTokenFor } from './server-token.ts';
import { createLocalLibrary } from './trajectories-local.ts';

/** Where the library is; every command that reads it takes these. */
export const libraryFlags = {
  url: {
    type: 'string',
    description:
      'address of the control server; without it the one on port 8080, or the local store [LACHESIS_CONTROL_URL]',
  },
  token: { type: 'string', description: 'token for the server (default: that of the home) [LACHESIS_TOKEN]' },
  home: { type: 'string', description: 'folder of the local store [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL of the store instead of SQLite [DATABASE_URL]' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export interface LibraryArguments {
  url?: string | undefined;
  token?: string | undefined;
  home?: string | undefined;
  'database-url'?: string | undefined;
}

const LOCAL_TENANT = 'local';

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
    fail(error instanceof Error ? error.message : String(error));
  }
}

async function openLibrary(args: LibraryArguments): Promise<{ library: LibraryClient; close(): Promise<void> }> {
  const url = args.url ?? (isPlaceGiven(args) ? undefined : process.env['LACHESIS_CONTROL_URL']);
  const nothing = async (): Promise<void> => undefined;
  if (url !== undefined && url !== '') {
    return { library: createLibraryClient({ url, token: await findTokenFor(url, args) }), close: nothing };
  }
  const { values: settings } = readOrFail(() =>
    readControlSettings(
      {
        ...(args.home === undefined ? {} : { home: args.home }),
        ...(args['database-url'] === undefined ? {} : { databaseUrl: args['database-url'] }),
      },
      process.env,
    ),
  );
  const own = `http://127.0.0.1:${settings.port}`;
  const token = await findTokenFor(own, { token: args.token, home: settings.home });
  const found = createLibraryClient({ url: own, token });
  if (await isSameLibrary(found, settings)) return { library: found, close: nothing };
  return openLocal(settings);
}

const isPlaceGiven = (args: LibraryArguments): boolean => args.home !== undefined || args['database-url'] !== undefined;

/** A server that happens to be on the port may keep another home, or be no library at all. */
async function isSameLibrary(client: LibraryClient, settings: ControlSettings): Promise<boolean> {
  const health = await client.health({ signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return health !== undefined && health.library === identifyLibrary(settings);
}

/** Without a server nobody has read the outboxes: that is done first, so that the last call is there to be seen. */
async function openLocal(settings: ControlSettings): Promise<{ library: LibraryClient; close(): Promise<void> }> {
  const { store, blobs, audit } = await openLocalStore(settings);
  try {
    const library = createLocalLibrary({ store, blobs, tenantId: LOCAL_TENANT, audit });
    const redactor = createRedactor({ secrets: collectSecretValues(process.env) });
    await drainOutbox({
      folder: openOutboxFolder({ directory: outboxPaths(settings.home).directory }),
      deliver: async (records) => {
        await library.sendRecords(records.map((record) => redactRecord(record, redactor).value));
      },
    });
    return { library, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
