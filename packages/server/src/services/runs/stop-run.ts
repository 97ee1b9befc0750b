import type { TrainingRun } from '@lachesis/store';
import type { StopRunOptions } from './end-run.ts';

/**
 * Ends a run on this machine without a control server. Resolves with the run as it stands then; undefined when there is
 * none of that name. What it needs is loaded when it is called: who starts a server comes through the same entry, and the
 * parent of a server stays small.
 */
export async function stopRun(options: StopRunOptions): Promise<TrainingRun | undefined> {
  const { endRun } = await import('./end-run.ts');
  return await endRun(options);
}
