import type { AgentTool } from '../../agent/agent-tool.ts';
import { chooseToolsets } from '../../agent/toolsets/choose-toolsets.ts';
import type { ToolsetDistribution } from '../../agent/toolsets/toolset-distributions.ts';
import { ToolsetError } from '../../agent/toolsets/toolset-error.ts';
import type { Random } from '../create-random.ts';
import { EnvironmentError } from '../environment-error.ts';
import type { AgentConfig } from './agent-config.ts';

export interface ResolveToolsOptions {
  /** Offered whatever the configuration says: without them the task makes no sense. */
  readonly own: readonly AgentTool[];
  /** What is there, by name. */
  readonly toolsets: Readonly<Record<string, readonly AgentTool[]>>;
  readonly distributions: Readonly<Record<string, ToolsetDistribution>>;
  /** Where the configuration is silent. */
  readonly defaultToolsets: readonly string[];
  readonly config: Pick<AgentConfig, 'enabled_toolsets' | 'disabled_toolsets' | 'distribution'>;
  /** Of the group: every rollout of it gets the same tools, whatever runs at once. */
  readonly random: Random;
  /** Toolsets that the configuration wants and that were allowed to be missing. */
  readonly missing: readonly string[];
}

/** The tools of one group. Nothing is kept between groups, so two groups at once cannot take each other's. */
export function resolveTools(options: ResolveToolsOptions): readonly AgentTool[] {
  const { own, config, defaultToolsets, distributions, random, toolsets, missing } = options;
  const { distribution } = config;
  try {
    const { tools } = chooseToolsets({
      toolsets,
      enabled: (config.enabled_toolsets ?? defaultToolsets).filter((name) => !missing.includes(name)),
      disabled: config.disabled_toolsets,
      ...(distribution === null ? {} : { draw: { distribution, distributions, next: random.next } }),
    });
    return [...new Map([...tools, ...own].map((tool) => [tool.name, tool])).values()];
  } catch (cause) {
    if (!ToolsetError.isInstance(cause)) throw cause;
    // Every rollout would fail of it, so the run does.
    throw toDefinitionError(cause);
  }
}

export function toDefinitionError(cause: ToolsetError): EnvironmentError {
  const hint = 'Give tools of your own in `toolsets`.';
  return new EnvironmentError({ kind: 'bad-definition', reason: cause.message, hint, cause });
}
