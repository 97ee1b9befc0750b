import { homePaths } from '@lachesis/protocol/home';
import type { ControlClient } from '@lachesis/sdk';
import { identifyLibrary } from '@lachesis/server';
import { existsSync } from 'node:fs';
import { fail } from '../../terminal/fail.ts';
import { DEFAULT_SERVER, describeControlError, openControl, readNamedServer, type ServerArguments } from '../server.ts';
import { readStorePlace } from './open-local-store.ts';

/** Does the work with a client of the server. What goes wrong ends the command with one sentence. */
export async function withControl<T>(args: ServerArguments, work: (client: ControlClient) => Promise<T>): Promise<T> {
  await using place = await findControl(args);
  try {
    return await work(place.client);
  } catch (error) {
    return fail(await describeControlError(error, place.client));
  }
}

interface ControlPlace extends AsyncDisposable {
  readonly client: ControlClient;
  /** The home that is asked here, without a server. */
  readonly home?: string;
}

/** A server that was named; else the one of this machine, where it answers; else the home itself. */
export async function findControl(args: ServerArguments & { recipe?: string | undefined }): Promise<ControlPlace> {
  const isNamed = readNamedServer(args) !== undefined;
  const isHomeNamed = args.home !== undefined && args.home !== '';
  if (isNamed || (!isHomeNamed && (await answersHere(args)))) {
    return { client: await openControl(args), [Symbol.asyncDispose]: async () => undefined };
  }
  return await openHomeControl(args);
}

const ANSWER_MS = 1_000;

/** Whether a server of this machine serves the home that is meant: one of another home is somebody else's. */
async function answersHere(args: ServerArguments): Promise<boolean> {
  try {
    const reply = await fetch(`${DEFAULT_SERVER}/health`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { library } = (await reply.json()) as { library?: string };
    const isChosen = (process.env['LACHESIS_HOME'] ?? '') !== '';
    return !isChosen || library === identifyLibrary(readStorePlace({ home: args.home }));
  } catch {
    // Nobody listens there, or somebody who is no server of ours.
    return false;
  }
}

async function openHomeControl(args: ServerArguments & { recipe?: string | undefined }): Promise<ControlPlace> {
  const { home, databaseUrl } = readStorePlace({ home: args.home });
  // Opening would make an empty one.
  if (databaseUrl === undefined && args.recipe === undefined && !existsSync(homePaths(home).database)) {
    const asked = args.home === undefined ? `no control server answers at ${DEFAULT_SERVER}, and ` : '';
    fail(`${asked}${home} holds no runs. Say where they are with --server or --home.`);
  }
  const { openLocalControl } = await import('@lachesis/server/processes');
  const local = await openLocalControl({ home, databaseUrl, recipe: args.recipe });
  const { createControlClient } = await import('@lachesis/sdk');
  return {
    client: createControlClient({ url: local.url, token: local.token }),
    home,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}
