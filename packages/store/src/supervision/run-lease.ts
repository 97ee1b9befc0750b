import { isFinalRunState } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import type { TrainingRunsTable } from '../schema/training-runs.ts';
import { changeRun } from './change-run.ts';
import { findTrainingRun } from './find-training-runs.ts';
import type { RunKey, TrainingRun } from './training-run.ts';

export interface LeaseOptions extends RunKey {
  store: Store;
  /** Who asks; another for each life of a process. */
  holder: string;
}

/**
 * Makes `holder` the one who looks after a run, if nobody does: the lease was never taken, was given back, has run out, or
 * `isGone` knows that its holder will never write again. Each taking is an epoch of its own. Undefined when somebody holds it.
 */
export async function takeRunLease(
  options: LeaseOptions & { seconds: number; isGone?: (holder: string) => boolean },
): Promise<TrainingRun | undefined> {
  const { store, tenantId, runId, holder, seconds, isGone = () => false } = options;
  const taken = await changeRun({
    ...{ store, tenantId, runId },
    decide: (row, now) => {
      if (isFinalRunState(row.state)) return undefined;
      const isFree = row.holder === null || (row.lease_expires_at ?? 0) <= now || isGone(row.holder);
      if (!isFree) return undefined;
      const epoch = row.epoch + 1;
      return {
        columns: { epoch, holder, lease_expires_at: now + seconds * 1000 },
        event: { kind: 'supervisor-changed', data: { epoch, holder } },
      };
    },
  });
  if (!taken) return undefined;
  const run = await findTrainingRun({ store, tenantId, runId });
  // Lost again already, or taken by somebody at the same time.
  return run?.holder === holder ? run : undefined;
}

export interface HeldLease extends LeaseOptions {
  epoch: number;
}

export const isHeldBy = (row: TrainingRunsTable, { holder, epoch }: Pick<HeldLease, 'epoch' | 'holder'>): boolean =>
  row.holder === holder && row.epoch === epoch;

/** False when it is somebody else's now. */
export function renewRunLease(options: HeldLease & { seconds: number }): Promise<boolean> {
  return changeRun({
    ...options,
    decide: (row, now) =>
      isHeldBy(row, options) ? { columns: { lease_expires_at: now + options.seconds * 1000 } } : undefined,
  });
}

/** Gives it back, so that the next one need not wait for its end. */
export function releaseRunLease(options: HeldLease): Promise<boolean> {
  return changeRun({
    ...options,
    decide: (row) => (isHeldBy(row, options) ? { columns: { holder: null, lease_expires_at: null } } : undefined),
  });
}
