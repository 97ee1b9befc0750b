import { hostname } from 'node:os';
import type { TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketSupervisor } from '../process/supervise-socket.ts';

export interface TrajectoryApiProcessOptions {
  settings: TrajectoryApiSettings;
  /** The module that serves, as a path; ours unless a test brings its own. */
  childModule?: string;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** A moment: a child that is there again at once need not be told of. */
const HOLD_MS = 500;

/** Starts the trajectory API: a parent that keeps the socket, and the child that serves. */
export function startTrajectoryApi(options: TrajectoryApiProcessOptions): Promise<SocketSupervisor> {
  const { settings, childModule, onRestart } = options;
  return superviseChild({
    settings,
    beside: import.meta.url,
    childModule,
    hasSmallHeap: true,
    // Two servers cannot share all three, and a successor gets the same name: it knows which half-sent batches were its own.
    env: { LACHESIS_INSTANCE: `${hostname()}:${settings.port}:${settings.home}` },
    // Alone, a server that starts again is waited for; among several, whoever called goes on with the next.
    holdMs: settings.replicaAddress === undefined ? undefined : HOLD_MS,
    onRestart,
  });
}
