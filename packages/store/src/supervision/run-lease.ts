import { isFinalRunState } from '@lachesis/protocol';
import { planAcquisition, type AcquireLeaseOptions } from '../leases/acquire-lease.ts';
import type { Lease } from '../leases/lease.ts';
import { changeRun } from './change-run.ts';
import { findTrainingRun } from './find-training-runs.ts';
import type { RunKey, TrainingRun } from './training-run.ts';

/** Whoever looks after a run has this lease on it. */
export const runLeaseKey = ({ tenantId, runId }: RunKey): Pick<Lease, 'kind' | 'resource' | 'tenantId'> => ({
  ...{ tenantId, kind: 'supervision', resource: runId },
});

/**
 * Makes `holder` the one who looks after a run, if nobody does, with a line of its history that says so. Undefined when
 * somebody holds it, or it has ended.
 */
export async function acquireRunLease(
  options: RunKey & Omit<AcquireLeaseOptions, 'kind' | 'resource'>,
): Promise<{ run: TrainingRun; lease: Lease } | undefined> {
  const { store, tenantId, runId, holder } = options;
  let lease: Lease | undefined;
  await changeRun({
    ...{ store, tenantId, runId },
    decide: async (row) => {
      lease = undefined;
      if (isFinalRunState(row.state)) return undefined;
      const plan = await planAcquisition({ ...options, ...runLeaseKey(options) });
      if ('heldBy' in plan) return undefined;
      lease = plan.lease;
      const { epoch } = lease;
      return {
        columns: {},
        event: { kind: 'supervisor-changed', data: { epoch, holder } },
        before: [plan.statement],
      };
    },
  });
  if (lease === undefined) return undefined;
  const run = await findTrainingRun({ store, tenantId, runId });
  // Lost again already.
  return run?.holder === holder && run.epoch === lease.epoch ? { run, lease } : undefined;
}
