import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TrajectoryApiSettings } from '../platform/settings/trajectory-api-settings.ts';
import { keepSocket, type SocketKeeper } from './socket-keeper.ts';

export interface TrajectoryApiProcessOptions {
  settings: TrajectoryApiSettings;
  /** The module that serves, as a path; ours unless a test brings its own. */
  childModule?: string;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the trajectory API: a parent that keeps the socket, and the child that serves. */
export function startTrajectoryApi(options: TrajectoryApiProcessOptions): Promise<SocketKeeper> {
  const { settings, onRestart } = options;
  const ownChild = import.meta.url.endsWith('.ts') ? './trajectory-api-child.ts' : './trajectory-api-child.js';
  return keepSocket({
    host: settings.host,
    port: settings.port,
    childModule: options.childModule ?? new URL(ownChild, import.meta.url).pathname,
    environment: {
      LACHESIS_CHILD_SETTINGS: JSON.stringify(settings),
      // A successor need not compile what its predecessor did: it is ready a third sooner.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(settings.home, 'cache', 'code'),
      // Two servers cannot share all three, and a successor gets the same name: it knows which half-sent batches were its own.
      LACHESIS_INSTANCE: `${hostname()}:${settings.port}:${settings.home}`,
    },
    ...(onRestart === undefined ? {} : { onRestart }),
  });
}
