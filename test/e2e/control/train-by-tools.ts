import type { RlToolInputs, RlToolName, RlToolOutputs } from '@lachesis/protocol';
import type { RlTools } from '@lachesis/sdk';
import { setTimeout as sleep } from 'node:timers/promises';

import { followRun, type FollowedRun } from './follow-run.ts';

export interface ToolTraining extends FollowedRun {
  readonly runId: string;
  /** Tools that were called and gave what they are for. */
  readonly used: ReadonlySet<RlToolName>;
  /** What the policy of the run said while it was trained. */
  readonly test: RlToolOutputs['rl_test_inference'];
  readonly listed: boolean;
  /** What a stop says that comes when everything is over. */
  readonly lateStop: string;
}

export interface ToolTrainingOptions {
  readonly tools: RlTools;
  readonly environment: string;
  readonly edit: RlToolInputs['rl_edit_config'];
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
}

/** A whole run through the ten tools, as plain functions. */
export async function trainByTools(options: ToolTrainingOptions): Promise<ToolTraining> {
  const { tools, environment, edit, timeoutMs, log } = options;
  const used = new Set<RlToolName>();
  const call = async <Name extends RlToolName>(name: Name, input: RlToolInputs[Name]): Promise<RlToolOutputs[Name]> => {
    const answer = await tools[name].run(input);
    if (answer.isFailure) throw new Error(`${name}: ${answer.value.error}`);
    used.add(name);
    return answer.value;
  };

  const { environments } = await call('rl_list_environments', {});
  if (!environments.some(({ name }) => name === environment)) throw new Error(`${environment} is not listed`);
  await call('rl_select_environment', { name: environment });
  await call('rl_edit_config', edit);
  const { configurable_fields: fields } = await call('rl_get_current_config', {});
  const current = fields.find(({ name }) => name === edit.field)?.current_value;
  if (current !== edit.value) throw new Error(`${edit.field} is ${String(current)} after it was edited`);

  const { run_id: runId, status } = await call('rl_start_training', {});
  log(`run ${runId} is ${status}`);
  const following = followRun({ tools, runId, timeoutMs, log });
  const test = await testWhileRunning();
  const followed = await following;
  used.add('rl_check_status').add('rl_get_results');
  const { runs } = await call('rl_list_runs', {});
  const { status: lateStop } = await call('rl_stop_training', { run_id: runId });
  const listed = runs.some((each) => each.run_id === runId && each.status === 'completed');
  return { ...followed, runId, used, test, listed, lateStop };

  /** The policy is served from the moment the trainer answers; until then the tool says that nobody does. */
  async function testWhileRunning(): Promise<RlToolOutputs['rl_test_inference']> {
    const until = performance.now() + timeoutMs;
    let testId: string | undefined;
    for (;;) {
      const input = { prompts: ['Write 1.', 'Write 2.'], max_tokens: 8, run_id: runId };
      const answer = await tools.rl_test_inference.run(testId === undefined ? input : { test_id: testId });
      // One that is still going on is read on: another would only be in its way.
      testId = !answer.isFailure && answer.value.status === 'running' ? answer.value.test_id : undefined;
      if (!answer.isFailure && answer.value.status === 'completed') {
        used.add('rl_test_inference');
        return answer.value;
      }
      if (performance.now() > until) throw new Error(`the policy was never tested: ${answer.text}`);
      await sleep(500);
    }
  }
}
