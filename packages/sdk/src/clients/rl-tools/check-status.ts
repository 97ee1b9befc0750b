import type { RlToolOutputs, RunStatus } from '@lachesis/protocol';
import type { ControlClient } from '../control.ts';
import type { StatusLimit } from './limit-status.ts';

export interface CheckStatusOptions {
  client: ControlClient;
  limit: StatusLimit;
  runId: string;
  signal: AbortSignal | undefined;
}

/** Asks the server first, which has no limit, and decides then whether there is something to tell. */
export async function checkStatus(options: CheckStatusOptions): Promise<RlToolOutputs['rl_check_status']> {
  const { client, limit, runId, signal } = options;
  const run = await client.readRun(runId, { signal });
  const wait = limit.admit({
    runId: run.run_id,
    status: run.status,
    state: stateOf(run),
    estimatedSeconds: run.estimated_seconds ?? undefined,
  });
  if (wait === undefined) return run;
  return {
    rate_limited: true,
    run_id: run.run_id,
    message: `The run is ${run.status} as at the last check. Ask again in ${wait} s; a change of state is told at once.`,
    next_check_in_seconds: wait,
  };
}

/** A process that died is a change, also while the run goes on. */
function stateOf({ status, reason, error, processes, process_details: details, metrics }: RunStatus): string {
  const restarts = details.map((each) => each.restarts);
  return JSON.stringify([status, reason, error, processes, restarts, metrics.state]);
}
