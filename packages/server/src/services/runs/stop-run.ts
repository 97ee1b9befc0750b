import type { TrainingRun } from '@lachesis/store';
import type { SupervisorTimes } from './supervisor/parts.ts';

export interface StopRunOptions {
  home: string;
  databaseUrl?: string | undefined;
  /** As people see it. */
  shortId: string;
  tenantId?: string;
  reason?: string;
  /** How long to wait for the end. A stop takes 15 seconds at most, and as much again when a lease has to run out. */
  waitMs?: number;
  times?: Partial<SupervisorTimes>;
}

/**
 * Ends a run on this machine without a control server. Resolves with the run as it stands then; undefined when there is
 * none of that name. What it needs is loaded when it is called: who starts a server comes through the same door, and the
 * parent of a server stays small.
 */
export async function stopRun(options: StopRunOptions): Promise<TrainingRun | undefined> {
  const { endRun } = await import('./end-run.ts');
  return await endRun(options);
}
