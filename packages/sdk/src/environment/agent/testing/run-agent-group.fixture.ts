import { resolveEnvironmentConfig } from '../../config/resolve-environment-config.ts';
import type { EnvironmentDefinition } from '../../definition.ts';
import { createScriptedPolicy, type Script } from '../../policy/create-scripted-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Rollout } from '../../rollout/rollout.ts';
import { runRollouts } from '../../rollout/run-rollouts.ts';
import { countIds, never } from '../../testing/toy-environment.fixture.ts';
import type { AgentRolloutResult } from '../agent-result.ts';

export type AgentRollout = Rollout<'train'> & { readonly result: AgentRolloutResult };

export interface RunGroupOptions {
  readonly definition: EnvironmentDefinition;
  readonly policy: Policy | Script;
  readonly flags?: Record<string, unknown>;
  readonly size?: number;
  readonly draw?: number;
  readonly signal?: AbortSignal;
  readonly log?: (text: string) => void;
}

/** Rolls out the first item of an agent environment, and closes it. */
export async function runGroup(options: RunGroupOptions): Promise<AgentRollout[]> {
  const { definition, policy, flags = {}, size = 1, draw = 0, signal = never, log = () => {} } = options;
  const { values } = resolveEnvironmentConfig({ definition, flags: { env: flags } });
  const environment = await definition.open({ config: values.env });
  try {
    const drawn = await environment.drawTrainItem(draw);
    const rollouts = await runRollouts({
      environment,
      policy: typeof policy === 'function' ? createScriptedPolicy(policy) : policy,
      drawn: drawn!,
      indices: Array.from({ length: size }, (_, index) => index),
      salt: 0,
      temperature: environment.config.temperature,
      nextRolloutId: countIds(),
      now: () => performance.now(),
      signal,
      log,
    });
    return rollouts as AgentRollout[];
  } finally {
    await environment.close();
  }
}

/** A reply with calls, as a server gives it. */
export const call = (name: string, args: unknown, text = ''): { text: string; toolCalls: never } => ({
  text,
  toolCalls: [{ id: 'call', type: 'function', function: { name, arguments: JSON.stringify(args) } }] as never,
});
