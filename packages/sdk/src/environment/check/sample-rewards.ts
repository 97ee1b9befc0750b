import type { ChatMessage } from '@lachesis/protocol';
import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { createFailureGate } from '../failures/create-failure-gate.ts';
import type { Completion, Policy, PolicyRequest } from '../policy/policy.ts';
import { rollOutGroup } from '../runner/roll-out-group.ts';

/** One reply of whoever is asked. */
export interface RelayedReply {
  readonly text: string;
  readonly toolCalls?: ChatMessage['tool_calls'];
  /** As the chat APIs have it: `stop`, `length`. */
  readonly finishReason: string;
}

/** What is asked: so many replies to these messages. */
export type RelayedRequest = Pick<PolicyRequest, 'maxTokens' | 'messages' | 'samples' | 'temperature' | 'tools'>;

export interface SampleRewardsOptions {
  readonly definition: EnvironmentDefinition;
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly yaml?: unknown;
  readonly tasks: number;
  readonly groupSize: number;
  /** The model, wherever it is. */
  readonly ask: (request: RelayedRequest) => Promise<readonly RelayedReply[]>;
  readonly nextId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Told when a task is through, with what each of its replies earned; empty for one that could not be rolled out. */
  readonly onTask: (rewards: readonly number[]) => void;
}

/** Rolls out the first tasks of training with a model, and tells what its replies earn. Nothing is sent to anybody. */
export async function sampleRewards(options: SampleRewardsOptions): Promise<void> {
  const { definition, flags, yaml, tasks, groupSize, nextId, now, signal, onTask } = options;
  const { values } = resolveEnvironmentConfig({ definition, flags, yaml });
  const config = { ...values.env, group_size: groupSize, max_rollout_attempts: 1, failure_policy: 'complete' };
  const environment = await definition.open({ config, signal });
  const policy = createRelayedPolicy(options.ask);
  const gate = createFailureGate({ now });
  try {
    const drawn = await Promise.all(Array.from({ length: tasks }, (_, index) => environment.drawTrainItem(index)));
    await Promise.all(
      drawn.map(async (item) => {
        if (item === undefined) return;
        const group = await rollOutGroup(
          { ...{ definition, environment, policy, gate, nextId, now, signal }, onEvent: () => {} },
          item,
        );
        onTask(group?.rollouts.map(({ outcome }) => outcome.reward) ?? []);
      }),
    );
  } finally {
    await environment.close();
  }
}

/** Tells no tokens: what it gives is looked at, and never trained on. */
function createRelayedPolicy(ask: SampleRewardsOptions['ask']): Policy {
  return {
    async complete({ messages, samples, maxTokens, temperature, tools }) {
      const replies = await ask({ messages, samples, maxTokens, temperature, tools });
      return replies.map(({ text, toolCalls, finishReason }): Completion => ({
        ...{ text, finishReason, policyVersion: undefined },
        message: { role: 'assistant', content: text, ...(toolCalls ? { tool_calls: toolCalls } : {}) },
        ...{ promptTokens: new Int32Array(), tokens: new Int32Array(), logprobs: new Float32Array() },
      }));
    },
  };
}
