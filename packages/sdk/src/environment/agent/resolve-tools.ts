import type { AgentTool } from '../../agent/agent-tool.ts';
import { SANDBOX_TOOLSETS } from '../../agent/tools/sandbox-toolsets.ts';
import { chooseToolsets } from '../../agent/toolsets/choose-toolsets.ts';
import type { ToolsetDistribution } from '../../agent/toolsets/toolset-distributions.ts';
import { ToolsetError } from '../../agent/toolsets/toolset-error.ts';
import type { Random } from '../create-random.ts';
import { EnvironmentError } from '../environment-error.ts';
import type { AgentConfig } from './agent-config.ts';

export interface ResolveToolsOptions {
  /** Offered whatever the configuration says: without them the task makes no sense. */
  readonly own: readonly AgentTool[];
  /** By name, besides those that work in the sandbox. One of the same name goes before ours. */
  readonly toolsets: Readonly<Record<string, readonly AgentTool[]>>;
  readonly distributions: Readonly<Record<string, ToolsetDistribution>>;
  /** Where the configuration is silent. */
  readonly defaultToolsets: readonly string[];
  readonly config: Pick<AgentConfig, 'enabled_toolsets' | 'disabled_toolsets' | 'distribution'>;
  /** Of the group: every rollout of it gets the same tools, whatever runs at once. */
  readonly random: Random;
  /** Told of a toolset that the distribution has and the environment has not. */
  readonly onSkip: (toolset: string) => void;
}

/** The tools of one group. Nothing is kept between groups, so two groups at once cannot take each other's. */
export function resolveTools(options: ResolveToolsOptions): readonly AgentTool[] {
  const { own, config, defaultToolsets, distributions, random, onSkip } = options;
  const { distribution } = config;
  try {
    const { tools } = chooseToolsets({
      toolsets: { ...SANDBOX_TOOLSETS, ...options.toolsets },
      enabled: config.enabled_toolsets ?? defaultToolsets,
      disabled: config.disabled_toolsets,
      ...(distribution === null ? {} : { draw: { distribution, distributions, next: random.next, onSkip } }),
    });
    return [...new Map([...tools, ...own].map((tool) => [tool.name, tool])).values()];
  } catch (cause) {
    if (!ToolsetError.isInstance(cause)) throw cause;
    // Every rollout would fail of it, so the run does.
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: cause.message,
      hint: 'Web tools need a provider and MCP tools a client: give those in `toolsets`.',
      cause,
    });
  }
}
