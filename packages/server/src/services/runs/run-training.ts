import type { TrainerStatus } from '../training/rl/status.ts';
import type { TrainOptions } from './train.ts';

/**
 * Makes a run and looks after it in this process, until it has ended. What it needs is loaded when it is called: who starts
 * a server comes through the same entry, and the parent of a server stays small.
 */
export async function runTraining(options: TrainOptions): Promise<TrainerStatus | undefined> {
  const { train } = await import('./train.ts');
  return await train(options);
}
