import { HEADERS } from '@lachesis/protocol';
import { findChatDialect, sendInDialect } from '../../clients/chat-dialect.ts';
import { ClientError } from '../../clients/client-error.ts';
import { request } from '../../clients/request.ts';
import type { Tokenizer } from '../../render/tokenizer/tokenizer.ts';
import { isExternal } from '../config/provider-presets.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { SERVER_KINDS } from '../config/server-kinds.ts';
import { EnvironmentError } from '../environment-error.ts';
import { hasTokens, type Completion, type PolicyRequest } from './policy.ts';
import { readCompletions } from './read-completions.ts';

export interface ServerAskerOptions {
  readonly needsTokens: boolean;
  readonly fetch: typeof fetch;
  readonly retryForMs: number;
  readonly onNote: ((sentence: string) => void) | undefined;
}

/** Asks one server for as many replies as it gives at once; at least one. */
export type AskServer = (asked: PolicyRequest, config: ServerConfig) => Promise<Completion[]>;

export function createServerAsker(options: ServerAskerOptions): AskServer {
  const { needsTokens, fetch: send, retryForMs, onNote } = options;
  /** Servers whose replies name the version of a policy: only ours do. */
  const ours = new Set<string>();
  /** Tokenizers of SGLang servers whose chat replies come without ids, and whose `/generate` is asked in its place. */
  const native = new Map<string, Promise<Tokenizer>>();

  const askChat = async (asked: PolicyRequest, config: ServerConfig): Promise<Completion[]> => {
    const { base_url: url } = config;
    const dialect = findChatDialect({
      ...{ server: url, isStrict: isExternal(config), fetch: send },
      ...(onNote === undefined ? {} : { onLearnt: onNote }),
    });
    const completions = await sendInDialect(dialect, toBody(asked, config, ours.has(url)), (body) =>
      request({
        ...{ url, method: 'POST', path: '/chat/completions', body, headers: headersOf(asked, config), fetch: send },
        ...{ signal: asked.signal, timeoutMs: config.timeout * 1000, retryForMs },
        parse: readCompletions,
      }),
    );
    if (completions.some(({ policyVersion }) => policyVersion !== undefined)) ours.add(url);
    return completions;
  };

  const askNative = async (asked: PolicyRequest, config: ServerConfig): Promise<Completion[]> => {
    const { askGenerate } = await import('./ask-generate.ts');
    const tokenizer = await native.get(config.base_url)!;
    const headers = headersOf(asked, config);
    const one = { ...asked, samples: 1 };
    return [await askGenerate({ asked: one, config, tokenizer, headers, retryForMs, fetch: send })];
  };

  return async (asked, config) => {
    if (native.has(config.base_url)) return askNative(asked, config);
    const completions = await askChat(asked, config);
    checkReplies(completions, asked, config);
    if (!needsTokens || completions.every(isTrainable)) return completions;
    if (config.server_type !== 'sglang') throw refuseWithoutTokens(config);
    if (!native.has(config.base_url)) {
      onNote?.(`${config.base_url} tells no token ids with chat replies; its /generate is asked`);
      native.set(config.base_url, loadTokenizerOf(config));
    }
    return askNative(asked, config);
  };
}

/** The model's own, by its name; loaded when the first reply came without ids. */
async function loadTokenizerOf({ tokenizer_name: name, model_name: model }: ServerConfig): Promise<Tokenizer> {
  const { loadTokenizer } = await import('../../render/tokenizer/load-tokenizer.ts');
  return loadTokenizer({ model: name ?? model });
}

const isTrainable = (completion: Completion): boolean => hasTokens(completion) && completion.tokens.length > 0;

function toBody(asked: PolicyRequest, config: ServerConfig, isOurs: boolean): Record<string, unknown> {
  const { model_name: model, extra_body: extra, server_type: type } = config;
  const { extraFields, ignoresN, mayBeOurs } = SERVER_KINDS[type];
  const own = {
    ...(asked.maxTotalTokens === undefined ? {} : { max_total_tokens: asked.maxTotalTokens }),
    ...(asked.history === undefined ? {} : { history_token_ids: Array.from(asked.history) }),
  };
  return {
    model,
    messages: asked.messages,
    ...(ignoresN ? {} : { n: asked.samples }),
    max_tokens: asked.maxTokens,
    temperature: asked.temperature,
    ...(asked.topP === undefined || asked.topP === 1 ? {} : { top_p: asked.topP }),
    ...(asked.stop === undefined || asked.stop.length === 0 ? {} : { stop: asked.stop }),
    ...(asked.seed === undefined ? {} : { seed: asked.seed }),
    ...(asked.tools === undefined || asked.tools.length === 0 ? {} : { tools: asked.tools }),
    ...(mayBeOurs || isOurs ? own : {}),
    ...extraFields,
    ...extra,
    ...asked.extraBody,
  };
}

function headersOf({ rolloutIds }: PolicyRequest, { api_key: key }: ServerConfig): Record<string, string> {
  return {
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(rolloutIds === undefined || rolloutIds.length === 0 ? {} : { [HEADERS.rolloutId]: rolloutIds.join(',') }),
  };
}

function checkReplies(completions: readonly Completion[], asked: PolicyRequest, config: ServerConfig): void {
  const refuse = (reason: string): never => {
    const call = `POST ${config.base_url}/chat/completions`;
    throw new ClientError({ code: 'unreadable-reply', call, reason, retryable: false });
  };
  if (completions.length === 0) refuse(`${asked.samples} replies were asked for and none came`);
  const broken = completions.find(({ tokens, logprobs }) => tokens.length > 0 && logprobs.length !== tokens.length);
  if (broken !== undefined) refuse(`${broken.logprobs.length} logprobs came for ${broken.tokens.length} tokens`);
}

/** Nothing can be trained on text alone; says why there is nothing else. */
export function refuseWithoutTokens({ base_url: url, server_type: type }: ServerConfig): EnvironmentError {
  const why = SERVER_KINDS[type].noTokens;
  return new EnvironmentError({
    kind: 'no-tokens',
    reason:
      `The server at ${url} does not tell which tokens it sampled, and nothing can be trained on text alone.` +
      (why === undefined ? '' : ` ${why}`),
    hint:
      'Use the inference of the run (http://localhost:8001/v1), vLLM 0.10.2 or newer, or SGLang with ' +
      '--openai.server_type sglang; `lachesis env evaluate` and `lachesis env process` work with this server as it is.',
  });
}
