import { createLibraryClient } from '@lachesis/sdk';
import { identifyLibrary, readControlSettings, type ControlSettings } from '@lachesis/server';
import { fail } from '../../terminal/fail.ts';
import { readOrFail } from './read-or-fail.ts';
import { readServerVariable } from '../read-server-variable.ts';
import { refuseNoAddress } from '../server.ts';
import { findTokenFor } from '../server-token.ts';

export interface LibraryArguments {
  server?: string | undefined;
  token?: string | undefined;
  home?: string | undefined;
  'database-url'?: string | undefined;
  /** Whose things in a local store; a server knows it from the token. */
  tenant?: string | undefined;
}

/** Where a command finds what it works on: behind a server, or in a store that it opens itself. */
export type LibraryLocation =
  | { kind: 'server'; url: string; token: string | undefined }
  | { kind: 'local'; settings: ControlSettings };

/** The one way in which a command chooses: the server that was named, the one over the same home, or the store itself. */
export async function locateLibrary(args: LibraryArguments): Promise<LibraryLocation> {
  const named = await findNamedServer(args);
  if (named !== undefined) return named;
  const { values: settings } = readOrFail(() =>
    readControlSettings(
      {
        ...(args.home === undefined ? {} : { home: args.home }),
        ...(args['database-url'] === undefined ? {} : { databaseUrl: args['database-url'] }),
      },
      process.env,
    ),
  );
  // A server answers for the tenant of its token; whoever names one here means the store.
  if (args.tenant !== undefined) return { kind: 'local', settings };
  const own = `http://127.0.0.1:${settings.port}`;
  const token = await findTokenFor(own, { token: args.token, home: settings.home });
  return (await isSameLibrary({ url: own, token }, settings))
    ? { kind: 'server', url: own, token }
    : { kind: 'local', settings };
}

/** The server that was named, by the flag or by the variable; undefined when none was, or a place here. */
export async function findNamedServer(
  args: LibraryArguments,
): Promise<Extract<LibraryLocation, { kind: 'server' }> | undefined> {
  const url = args.server ?? (isPlaceGiven(args) ? undefined : readServerVariable());
  if (url === undefined || url === '') return undefined;
  refuseNoAddress(url);
  if (args.tenant !== undefined) fail('--tenant is for a local store; a server knows the tenant from the token.');
  return { kind: 'server', url, token: await findTokenFor(url, args) };
}

const isPlaceGiven = (args: LibraryArguments): boolean =>
  args.home !== undefined || args['database-url'] !== undefined || args.tenant !== undefined;

/** A server that happens to be on the port may keep another home, or be no library at all. */
async function isSameLibrary(
  server: { url: string; token: string | undefined },
  settings: ControlSettings,
): Promise<boolean> {
  const client = createLibraryClient(server);
  const health = await client.health({ signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return health !== undefined && health.library === identifyLibrary(settings);
}
