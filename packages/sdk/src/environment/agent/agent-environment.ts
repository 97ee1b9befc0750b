import type { z } from 'zod';
import type { AgentTool } from '../../agent/agent-tool.ts';
import type { ToolsetDistribution } from '../../agent/toolsets/toolset-distributions.ts';
import type { Sandbox, SandboxProvider } from '../../sandbox/sandbox.ts';
import type { EnvironmentConfig, PromptReply, RewardReply, RolloutContext } from '../definition.ts';
import { BASE_CLASS, Environment, type BaseClass } from '../environment.ts';
import { addAgentLoop, type SandboxOptions } from './add-agent-loop.ts';
import { AGENT_DEFAULTS, agentConfigSchema, type AgentConfig } from './agent-config.ts';
import type { AgentContext } from './agent-context.ts';
import type { AgentRolloutResult } from './agent-result.ts';

type Given<T> = T | Promise<T>;

/**
 * The base class for an agent environment; `defineAgentEnvironment` is the short form. Give `name`, `getNextItem`,
 * `getEvaluationItems`, `formatPrompt` and `computeReward`; the base runs the loop of model and tools, resolves the
 * tools of each group, and releases the sandboxes.
 */
export abstract class AgentEnvironment<Item = unknown, Config extends z.ZodObject = z.ZodObject> extends Environment<
  Item,
  Config
> {
  declare config: EnvironmentConfig<AgentConfig & z.infer<Config>>;

  /** A hint: `enabled_toolsets` decides. */
  readonly defaultToolsets: readonly string[] = [];
  /** Default: `terminal_backend` of the configuration. */
  readonly sandboxes: SandboxProvider | undefined = undefined;

  /** Further toolsets by name; asked once, after `setup`. */
  getToolsets(): Readonly<Record<string, readonly AgentTool[]>> {
    return {};
  }

  /** Distributions of its own, for `distribution`: the chance of each toolset in percent. */
  getDistributions(): Readonly<Record<string, ToolsetDistribution>> {
    return {};
  }

  /** Tools of this task, offered whatever the configuration says. */
  getAgentTools(_item: Item): Given<readonly AgentTool[]> {
    return [];
  }

  getSandbox(_item: Item): SandboxOptions | undefined {
    return undefined;
  }

  /** Puts the task into its sandbox, before the agent is let in. The clean sandbox of the grade begins the same way. */
  prepare(_item: Item, _sandbox: Sandbox): Given<void> {}

  abstract override formatPrompt(item: Item, context: RolloutContext<z.infer<Config>>): Given<PromptReply>;
  abstract override computeReward(
    item: Item,
    result: AgentRolloutResult,
    context: AgentContext<z.infer<Config>>,
  ): Given<RewardReply>;

  override get [BASE_CLASS](): BaseClass {
    return {
      schema: agentConfigSchema,
      defaults: AGENT_DEFAULTS,
      extend: (opened) =>
        addAgentLoop(opened, {
          name: this.name,
          listOwnTools: (item) => this.getAgentTools(item as Item),
          toolsets: this.getToolsets(),
          distributions: this.getDistributions(),
          defaultToolsets: this.defaultToolsets,
          sandboxes: this.sandboxes,
          sandboxOf: (item) => this.getSandbox(item as Item),
          prepare: async (item, sandbox) => this.prepare(item as Item, sandbox),
          computeReward: (item, result, context) =>
            this.computeReward(item as Item, result, context as unknown as AgentContext<z.infer<Config>>),
        }),
    };
  }
}
