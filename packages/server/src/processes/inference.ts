import { join } from 'node:path';
import type { InferenceSettings } from '../platform/settings/inference-settings.ts';
import { keepSocket, type SocketKeeper } from './socket-keeper.ts';

export interface InferenceProcessOptions {
  settings: InferenceSettings;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the inference server: a parent that keeps the socket, and the child that serves. */
export function startInference({ settings, onRestart }: InferenceProcessOptions): Promise<SocketKeeper> {
  const ownChild = import.meta.url.endsWith('.ts') ? './inference-child.ts' : './inference-child.js';
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
