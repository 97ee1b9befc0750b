import { z } from 'zod';
import { ConfigError } from '../../config/config-error.ts';
import { resolveConfig, type ResolvedConfig } from '../../config/resolve-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import { baseConfigSchema, type BaseConfig } from './base-config.ts';
import { isExternal } from './provider-presets.ts';
import { serverConfigSchema, type ServerConfig } from './server-config.ts';

export interface EnvironmentRunConfig {
  readonly env: BaseConfig & Record<string, unknown>;
  readonly openai: readonly ServerConfig[];
  readonly slurm: boolean;
  readonly testing: boolean;
}

export interface ResolveEnvironmentConfigOptions {
  readonly definition: EnvironmentDefinition;
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly yaml?: unknown;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Keys of old files, beside the sections. */
const oldFields = {
  slurm: z.boolean().default(false).describe('accepted for old files; not used'),
  testing: z.boolean().default(false).describe('accepted for old files; not used'),
};

/** What others read from the same file: which environment, how to train, and what an agent may set. */
const OTHER_SECTIONS = ['environment', 'tinker', 'teacher', 'editable'];

/** Everything one environment can be told. Its own fields go before fields of the same name that all have. */
export const environmentSchema = (definition: EnvironmentDefinition) =>
  z.object({
    env: z.object({ ...baseConfigSchema.shape, ...definition.configSchema.shape }),
    openai: z.array(serverConfigSchema).default([]),
    ...oldFields,
  });

/** Command line, then file, then variables, then the environment's own defaults. */
export function resolveEnvironmentConfig({
  definition,
  flags,
  yaml,
  env,
}: ResolveEnvironmentConfigOptions): ResolvedConfig<EnvironmentRunConfig> {
  const resolved = resolveConfig({
    schema: environmentSchema(definition),
    otherSections: OTHER_SECTIONS,
    defaults: { env: definition.defaults, ...(definition.servers.length === 0 ? {} : { openai: definition.servers }) },
    env,
    variables: {
      'openai.0.base_url': ['OPENAI_BASE_URL'],
      'openai.0.api_key': ['OPENAI_API_KEY'],
      'env.rollout_server_token': ['LACHESIS_TOKEN'],
    },
    flags,
    yaml,
  });
  const values = resolved.values as unknown as EnvironmentRunConfig;
  const servers = values.openai.map((server, index) => presetServer(server, index, resolved.origins));
  return { ...resolved, values: { ...values, openai: servers } };
}

function presetServer(server: ServerConfig, index: number, origins: ResolvedConfig<unknown>['origins']): ServerConfig {
  if (!isExternal(server)) return server;
  if (server.server_type !== 'openai') {
    throw new ConfigError({
      kind: 'bad-value',
      path: `openai.${index}.server_type`,
      reason: `${server.base_url} is an external API, and openai.${index}.server_type is ${server.server_type}.`,
      hint: 'Set it to openai.',
    });
  }
  const isChosen = origins[`openai.${index}.health_check`] !== 'default';
  return isChosen ? server : { ...server, health_check: false };
}

/** The servers to ask; refuses to guess when none is given. */
export function requireServers({ openai }: EnvironmentRunConfig): readonly ServerConfig[] {
  const usable = openai.filter(({ base_url: url }) => url !== '');
  if (usable.length > 0) return usable;
  throw new EnvironmentError({
    kind: 'no-server',
    reason: 'No inference server is configured.',
    hint:
      'Choose one:\n' +
      '  the run’s own policy     --openai.base_url http://localhost:8001/v1\n' +
      '  vLLM or SGLang           --openai.base_url http://localhost:9001/v1 --openai.server_type vllm --openai.model_name <model>\n' +
      '  Ollama                   --openai.base_url http://localhost:11434/v1 --openai.model_name <model>\n' +
      '  OpenRouter               --openai.base_url https://openrouter.ai/api/v1 --openai.api_key <key> --openai.model_name <model>',
  });
}
