import { z } from 'zod';
import type { AgentTool } from '../../agent/agent-tool.ts';
import type { ToolsetDistribution } from '../../agent/toolsets/toolset-distributions.ts';
import type { Sandbox, SandboxProvider } from '../../sandbox/sandbox.ts';
import { defineEnvironment, digestOf, type EnvironmentSpec } from '../define-environment.ts';
import {
  markDefinition,
  type EnvironmentDefinition,
  type ItemContext,
  type RewardReply,
  type RolloutContext,
} from '../definition.ts';
import { addAgentLoop, type SandboxOptions } from './add-agent-loop.ts';
import { AGENT_DEFAULTS, agentConfigSchema, type AgentConfig } from './agent-config.ts';
import type { AgentContext } from './agent-context.ts';
import type { AgentRolloutResult } from './agent-result.ts';

type Own<Config extends z.ZodObject> = AgentConfig & z.infer<Config>;

/** An environment whose rollouts are a loop of model and tools. Name, items, prompt and reward have to be given. */
export interface AgentEnvironmentSpec<Item, Config extends z.ZodObject, State> extends Omit<
  EnvironmentSpec<Item, Config, State>,
  'tools' | 'turns' | 'computeReward' | 'defaults'
> {
  /** Own defaults for fields that all agent environments have. */
  readonly defaults?: EnvironmentSpec<Item, Config, State>['defaults'] & Partial<z.input<typeof agentConfigSchema>>;
  /** Tools of this task, offered whatever the configuration says. */
  readonly tools?:
    | readonly AgentTool[]
    | ((item: Item, context: RolloutContext<Own<Config>, State>) => readonly AgentTool[]);
  /** Further toolsets by name, for `enabled_toolsets`: web tools over your provider, the tools of an MCP server. */
  readonly toolsets?:
    | Readonly<Record<string, readonly AgentTool[]>>
    | ((context: ItemContext<Own<Config>, State>) => Readonly<Record<string, readonly AgentTool[]>>);
  /** Distributions of your own, for `distribution`: the chance of each toolset in percent. */
  readonly distributions?: Readonly<Record<string, ToolsetDistribution>>;
  /** Toolsets where the configuration names none: `terminal`, `file`, `code_execution`, or own ones. */
  readonly defaultToolsets?: readonly string[];
  /** Where sandboxes come from; default: `terminal_backend` of the configuration. Whoever gives one closes it. */
  readonly sandboxes?: SandboxProvider;
  /** Folder, image and limits of an item's sandbox. */
  readonly sandbox?: (item: Item, context: RolloutContext<Own<Config>, State>) => SandboxOptions | undefined;
  /** Puts the task into its sandbox, before the agent is let in. The clean sandbox of the grade begins the same way. */
  readonly prepare?: (item: Item, sandbox: Sandbox, context: RolloutContext<Own<Config>, State>) => Promise<void>;
  /** Grades while the sandbox is still there. A number from 0 to 1; what it throws is `failed('verifier')`. */
  readonly computeReward: (
    item: Item,
    result: AgentRolloutResult,
    context: AgentContext<Own<Config>, State>,
  ) => RewardReply | Promise<RewardReply>;
}

/** Makes an environment in which the model works in a sandbox with tools, and is graded by what it leaves there. */
export function defineAgentEnvironment<Item, Config extends z.ZodObject = z.ZodObject, State = undefined>(
  spec: AgentEnvironmentSpec<Item, Config, State>,
): EnvironmentDefinition {
  const {
    tools,
    toolsets = {},
    distributions = {},
    defaultToolsets = [],
    sandboxes,
    sandbox,
    prepare,
    computeReward,
    ...rest
  } = spec;
  const config = agentConfigSchema.extend((spec.config ?? z.object({})).shape);
  const definition = defineEnvironment<Item, z.ZodObject, State>({
    ...(rest as unknown as EnvironmentSpec<Item, z.ZodObject, State>),
    config,
    defaults: { ...AGENT_DEFAULTS, ...spec.defaults },
    // Replaced when it is opened, because it needs a sandbox.
    computeReward: () => {
      throw new Error('an agent environment is graded by its loop');
    },
  });
  type Rollout = RolloutContext<Own<Config>, State>;
  return markDefinition({
    ...definition,
    digest: digestOf(definition.digest, tools, computeReward, prepare, sandbox, defaultToolsets),
    verifierDigest: digestOf(computeReward),
    open: async (options) => {
      const opened = await definition.open(options);
      const context = { config: opened.config, state: opened.state } as unknown as ItemContext<Own<Config>, State>;
      return addAgentLoop(opened, {
        name: spec.name,
        listOwnTools: (item, rollout) =>
          typeof tools === 'function' ? tools(item as Item, rollout as unknown as Rollout) : (tools ?? []),
        toolsets: typeof toolsets === 'function' ? toolsets(context) : toolsets,
        distributions,
        defaultToolsets,
        sandboxes,
        sandboxOf: (item, rollout) => sandbox?.(item as Item, rollout as unknown as Rollout),
        prepare: async (item, made, rollout) => prepare?.(item as Item, made, rollout as unknown as Rollout),
        computeReward: (item, result, rollout) =>
          computeReward(item as Item, result, rollout as unknown as AgentContext<Own<Config>, State>),
      });
    },
  });
}
