import type { RunMetrics, RunStatus } from '@lachesis/protocol';
import type { RlTools } from '@lachesis/sdk';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FollowedRun {
  /** Each state that was told, in order, without repetition. */
  readonly states: readonly string[];
  /** Undefined when it had not ended in time. */
  readonly last: RunStatus | undefined;
  readonly results: RunMetrics;
}

const FINAL = new Set(['completed', 'stopped', 'failed']);
const LOOK_EVERY_MS = 400;

/** Asks the status tool until the run has ended, then for its results. */
export async function followRun(options: {
  readonly tools: RlTools;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly log?: (text: string) => void;
}): Promise<FollowedRun> {
  const { tools, runId, timeoutMs, log = () => undefined } = options;
  const states: string[] = [];
  let last: RunStatus | undefined;
  const until = performance.now() + timeoutMs;
  while (last === undefined && performance.now() < until) {
    const answer = await tools.rl_check_status.run({ run_id: runId });
    if (answer.isFailure) throw new Error(`rl_check_status: ${answer.value.error}`);
    if ('status' in answer.value) {
      const status = answer.value as RunStatus;
      if (states.at(-1) !== status.status) {
        states.push(status.status);
        log(`run ${runId} is ${status.status}: ${status.reason ?? ''}`);
      }
      if (FINAL.has(status.status)) last = status;
    }
    if (last === undefined) await sleep(LOOK_EVERY_MS);
  }
  const results = await tools.rl_get_results.run({ run_id: runId });
  if (results.isFailure) throw new Error(`rl_get_results: ${results.value.error}`);
  return { states, last, results: results.value };
}
