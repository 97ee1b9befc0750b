import { homePaths } from '@lachesis/protocol/home';
import { superviseSocket, type SocketSupervisor } from './supervise-socket.ts';

export interface SuperviseChildOptions {
  settings: { host: string; port: number; home: string };
  /** The address of the module that asks: the child is `child` beside it. */
  beside: string;
  /** Another module in its place, as a path. */
  childModule?: string | undefined;
  /** What the child is told besides its settings. */
  env?: Readonly<Record<string, string>>;
  hasSmallHeap?: boolean;
  /** How long a connection waits for a child; undefined: as long as it takes. */
  holdMs?: number | undefined;
  onRestart?: ((death: { code: number | null; signal: string | null }) => void) | undefined;
}

/** Starts a server: a parent that keeps the socket, and the child that serves. */
export function superviseChild({
  settings,
  beside,
  childModule,
  env,
  hasSmallHeap = false,
  holdMs,
  onRestart,
}: SuperviseChildOptions): Promise<SocketSupervisor> {
  const ending = beside.endsWith('.ts') ? 'ts' : 'js';
  return superviseSocket({
    host: settings.host,
    port: settings.port,
    childModule: childModule ?? new URL(`./child.${ending}`, beside).pathname,
    env: {
      LACHESIS_CHILD_SETTINGS: JSON.stringify(settings),
      // A successor need not compile what its predecessor did: it is ready a third sooner.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? homePaths(settings.home).codeCache,
      ...env,
    },
    hasSmallHeap,
    ...(holdMs === undefined ? {} : { holdMs }),
    ...(onRestart === undefined ? {} : { onRestart }),
  });
}
