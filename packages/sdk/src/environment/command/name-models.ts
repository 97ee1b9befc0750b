import { modelListSchema } from '@lachesis/protocol';
import { ClientError } from '../../clients/client-error.ts';
import { request } from '../../clients/request.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { ResolvedConfig } from '../../config/resolve-config.ts';
import type { ServerConfig } from '../config/server-config.ts';

/** Asks a person which of these a server is to be asked for. */
export type ChooseModel = (server: ServerConfig, models: readonly string[]) => Promise<string>;

export interface NameModelsOptions {
  readonly servers: readonly ServerConfig[];
  readonly origins: ResolvedConfig<unknown>['origins'];
  readonly choose: ChooseModel | undefined;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

const LIST_TIMEOUT_MS = 5_000;
const MOST_NAMED = 20;

/**
 * Gives servers of others for which nobody named a model the one they have. Of several one is asked for, or refused with the
 * choices. Our own server has one policy, whatever it is called; a server that is away or tells none is left as it is.
 */
export async function nameModels({ servers, origins, ...options }: NameModelsOptions): Promise<ServerConfig[]> {
  const named: ServerConfig[] = [];
  for (const [index, server] of servers.entries()) {
    const isNamed = (origins[`openai.${index}.model_name`] ?? 'default') !== 'default';
    named.push(isNamed ? server : await nameModel(server, index, options));
  }
  return named;
}

async function nameModel(
  server: ServerConfig,
  index: number,
  { choose, fetch: send, signal }: Omit<NameModelsOptions, 'origins' | 'servers'>,
): Promise<ServerConfig> {
  const models = await listOf(server, send, signal);
  const [only] = models;
  if (only === undefined || models.includes(server.model_name)) return server;
  if (models.length === 1) return { ...server, model_name: only };
  if (choose !== undefined) return { ...server, model_name: await choose(server, models) };
  const more = models.length > MOST_NAMED ? ` and ${models.length - MOST_NAMED} more` : '';
  throw new ConfigError({
    kind: 'bad-value',
    path: `openai.${index}.model_name`,
    reason: `${server.base_url} has ${models.length} models, and none is named: ${models.slice(0, MOST_NAMED).join(', ')}${more}.`,
    hint: `Say which: --openai.model_name <model>, or for all commands: lachesis inference use ${server.base_url} --model <model>`,
  });
}

async function listOf(server: ServerConfig, send: typeof fetch, signal: AbortSignal): Promise<string[]> {
  try {
    const { data } = await request({
      ...{ url: server.base_url, method: 'GET', path: '/models', fetch: send, signal, timeoutMs: LIST_TIMEOUT_MS },
      ...(server.api_key === '' ? {} : { token: server.api_key }),
      parse: modelListSchema.parse,
    });
    return data.some(({ owned_by: owner }) => owner === 'lachesis') ? [] : data.map(({ id }) => id);
  } catch (error) {
    if (!ClientError.isInstance(error)) throw error;
    // Away, or without such a list: whoever asks it for a reply is told.
    return [];
  }
}
