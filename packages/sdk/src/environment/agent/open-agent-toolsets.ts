import type { AgentTool } from '../../agent/agent-tool.ts';
import { SANDBOX_TOOLSETS } from '../../agent/tools/sandbox-toolsets.ts';
import { listDistribution } from '../../agent/toolsets/draw-toolsets.ts';
import { describeMissing, openToolsets, TOOLSET_NAMES } from '../../agent/toolsets/open-toolsets.ts';
import { readToolsSettings } from '../../agent/toolsets/tools-settings.ts';
import { ToolsetError } from '../../agent/toolsets/toolset-error.ts';
import { EnvironmentError } from '../environment-error.ts';
import type { AgentConfig } from './agent-config.ts';
import { type ResolveToolsOptions, toDefinitionError } from './resolve-tools.ts';

export interface AgentToolsetsOptions extends Pick<
  ResolveToolsOptions,
  'toolsets' | 'distributions' | 'defaultToolsets'
> {
  readonly config: ResolveToolsOptions['config'] & Pick<AgentConfig, 'allow_missing_tools'>;
}

export interface AgentToolsets {
  readonly toolsets: Readonly<Record<string, readonly AgentTool[]>>;
  /** What was allowed to be missing. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

/** Opens what the configuration names, beside what the environment brings. Nothing is rolled out with fewer tools than it names. */
export async function openAgentToolsets(options: AgentToolsetsOptions): Promise<AgentToolsets> {
  const { config, toolsets: own, distributions, defaultToolsets } = options;
  const { distribution, disabled_toolsets: disabled } = config;
  try {
    const named =
      distribution === null
        ? (config.enabled_toolsets ?? defaultToolsets)
        : listDistribution({ distribution, distributions });
    const wanted = named.filter((name) => disabled?.includes(name) !== true);
    const { toolsets, missing, close } = await openToolsets({ wanted, own, settings: await readToolsSettings() });
    if (missing.length > 0 && !config.allow_missing_tools) {
      await close();
      const about = distribution === null ? 'The configuration' : `The distribution ${JSON.stringify(distribution)}`;
      throw new EnvironmentError({
        kind: 'bad-definition',
        reason: `${about} has toolsets whose tools are not configured:${describeMissing(missing)}`,
        hint: '\nConfigure them, or set env.allow_missing_tools true, which marks every rollout with what was missing.',
      });
    }
    // What is switched off needs to be known, and nothing more.
    const off = (disabled ?? []).filter((name) => TOOLSET_NAMES.includes(name)).map((name) => [name, []] as const);
    return {
      toolsets: { ...SANDBOX_TOOLSETS, ...Object.fromEntries(off), ...own, ...toolsets },
      missing: missing.map(({ toolset }) => toolset),
      close,
    };
  } catch (error) {
    throw ToolsetError.isInstance(error) ? toDefinitionError(error) : error;
  }
}
