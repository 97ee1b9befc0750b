import type { Recipe } from '@lachesis/protocol';
import type { TrainerSettings } from '../http/settings/trainer-settings.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketSupervisor } from '../process/supervise-socket.ts';

export interface TrainerProcessOptions {
  settings: TrainerSettings;
  recipe: Recipe;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the trainer: a parent that keeps the socket, and the child that trains and serves. */
export function startTrainer({ settings, recipe, onRestart }: TrainerProcessOptions): Promise<SocketSupervisor> {
  return superviseChild({
    settings,
    beside: import.meta.url,
    env: { LACHESIS_CHILD_RECIPE: JSON.stringify(recipe) },
    onRestart,
  });
}
