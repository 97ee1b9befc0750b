import { join } from 'node:path';
import type { ControlSettings } from '../platform/settings/control-settings.ts';
import { keepSocket, type SocketKeeper } from './socket-keeper.ts';

export interface ControlProcessOptions {
  settings: ControlSettings;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the control process: a parent that keeps the socket, and the child that serves. */
export function startControl({ settings, onRestart }: ControlProcessOptions): Promise<SocketKeeper> {
  const ownChild = import.meta.url.endsWith('.ts') ? './control-child.ts' : './control-child.js';
  return keepSocket({
    host: settings.host,
    port: settings.port,
    childModule: new URL(ownChild, import.meta.url).pathname,
    environment: {
      LACHESIS_CHILD_SETTINGS: JSON.stringify(settings),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(settings.home, 'cache', 'code'),
    },
    ...(onRestart === undefined ? {} : { onRestart }),
  });
}
