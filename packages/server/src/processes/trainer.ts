import type { Recipe } from '@lachesis/protocol';
import { join } from 'node:path';
import type { TrainerSettings } from '../platform/settings/trainer-settings.ts';
import { keepSocket, type SocketKeeper } from './socket-keeper.ts';

export interface TrainerProcessOptions {
  settings: TrainerSettings;
  recipe: Recipe;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the trainer: a parent that keeps the socket, and the child that trains and serves. */
export function startTrainer({ settings, recipe, onRestart }: TrainerProcessOptions): Promise<SocketKeeper> {
  const ownChild = import.meta.url.endsWith('.ts') ? './trainer-child.ts' : './trainer-child.js';
  return keepSocket({
    host: settings.host,
    port: settings.port,
    childModule: new URL(ownChild, import.meta.url).pathname,
    environment: {
      LACHESIS_CHILD_SETTINGS: JSON.stringify(settings),
      LACHESIS_CHILD_RECIPE: JSON.stringify(recipe),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(settings.home, 'cache', 'code'),
    },
    ...(onRestart === undefined ? {} : { onRestart }),
  });
}
