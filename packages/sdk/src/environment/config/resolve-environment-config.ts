import { findProviderVariable, findServerKey } from '@lachesis/protocol';
import { z } from 'zod';
import { ConfigError } from '../../config/config-error.ts';
import { resolveConfig, type ResolvedConfig } from '../../config/resolve-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import { baseConfigSchema, type BaseConfig } from './base-config.ts';
import { isExternal } from './provider-presets.ts';
import { serverConfigSchema, UNUSED, type ServerConfig } from './server-config.ts';
import { SERVER_KINDS } from './server-kinds.ts';

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
  slurm: z.boolean().default(false).describe(UNUSED),
  testing: z.boolean().default(false).describe(UNUSED),
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
  const schema = environmentSchema(definition);
  const resolved = resolveConfig({
    schema,
    otherSections: OTHER_SECTIONS,
    defaults: { env: definition.defaults, ...(definition.servers.length === 0 ? {} : { openai: definition.servers }) },
    env,
    variables: {
      'openai.0.base_url': ['OPENAI_BASE_URL'],
      'openai.0.model_name': ['OPENAI_MODEL'],
      'env.rollout_server_token': ['LACHESIS_TOKEN'],
    },
    flags,
    yaml,
  });
  refuseUnused(schema, resolved.origins);
  const values = resolved.values as unknown as EnvironmentRunConfig;
  const servers = values.openai.map((server, index) => presetServer(server, { index, origins: resolved.origins, env }));
  return { ...resolved, values: { ...values, openai: servers } };
}

interface PresetOptions {
  readonly index: number;
  readonly origins: ResolvedConfig<unknown>['origins'];
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
}

/** What follows from the address and from what runs there: where it listens, its key by its usual name, no route for health. */
function presetServer(given: ServerConfig, { index, origins, env = {} }: PresetOptions): ServerConfig {
  const { server_type: type } = given;
  const server = given.base_url === '' ? { ...given, base_url: SERVER_KINDS[type].defaultUrl ?? '' } : given;
  const key = server.api_key === '' ? (findServerKey(server.base_url, env) ?? '') : server.api_key;
  const withKey = { ...server, api_key: key };
  if (!isExternal(server)) return withKey;
  const isRight = type === 'openai' || (type === 'openrouter' && isOpenRouter(server.base_url));
  if (!isRight) {
    throw new ConfigError({
      kind: 'bad-value',
      path: `openai.${index}.server_type`,
      reason: `${server.base_url} is an external API, and openai.${index}.server_type is ${type}.`,
      hint: 'Set it to openai.',
    });
  }
  const isChosen = origins[`openai.${index}.health_check`] !== 'default';
  return isChosen ? withKey : { ...withKey, health_check: false };
}

const isOpenRouter = (url: string): boolean => findProviderVariable(url) === 'OPENROUTER_API_KEY';

/** A file of Atropos may hold what means nothing here; who sets it by hand believes that it acts. */
function refuseUnused(schema: ReturnType<typeof environmentSchema>, origins: ResolvedConfig<unknown>['origins']): void {
  const fieldsOf = (section: string): Readonly<Record<string, z.ZodType>> =>
    section === 'env' ? schema.shape.env.shape : section === 'openai' ? serverConfigSchema.shape : oldFields;
  for (const [path, origin] of Object.entries(origins)) {
    if (origin !== 'flag' && origin !== 'environment') continue;
    const [section = ''] = path.split('.');
    if (fieldsOf(section)[path.split('.').at(-1) ?? '']?.description !== UNUSED) continue;
    throw new ConfigError({
      kind: 'bad-value',
      path,
      reason: `${path} is set, and nothing here reads it.`,
      hint: 'Leave it out. Files written for Atropos may keep it.',
    });
  }
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
      '  Ollama                   --openai.server_type ollama --openai.model_name <model>\n' +
      '  OpenRouter               --openai.server_type openrouter --openai.model_name <model>, with OPENROUTER_API_KEY',
  });
}
