import { HEADERS } from '@lachesis/protocol';
import { createChatDialect, sendInDialect, type ChatDialect } from '../../clients/chat-dialect.ts';
import { ClientError } from '../../clients/client-error.ts';
import { request } from '../../clients/request.ts';
import { isExternal } from '../config/provider-presets.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { EnvironmentError } from '../environment-error.ts';
import { createServerPool, type PooledServer } from './choose-server.ts';
import { hasTokens, type Completion, type PolicyRequest, type Policy } from './policy.ts';
import { readCompletions } from './read-completions.ts';

export interface HttpPolicyOptions {
  /** OpenAI-compatible servers; requests go to the one with most room for its weight. */
  readonly servers: readonly ServerConfig[];
  /** Refuse replies without token ids and logprobs, which cannot be trained on. */
  readonly needsTokens?: boolean;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** For how long a request is tried again while the server is away: its restart is not the rollout's failure. */
  readonly retryForMs?: number;
  /** Told once for each thing a server turned out not to take, as a sentence. */
  readonly onNote?: ((sentence: string) => void) | undefined;
}

const DEFAULT_RETRY_MS = 60_000;
/** With another server to turn to, one is not waited for so long. */
const RETRY_MS_OF_MANY = 3_000;

/** A policy behind OpenAI-compatible servers: our inference, vLLM with `return_token_ids`, or any other for evaluation. */
export function createHttpPolicy({
  servers,
  needsTokens = false,
  fetch: send = globalThis.fetch,
  now = () => performance.now(),
  retryForMs = DEFAULT_RETRY_MS,
  onNote,
}: HttpPolicyOptions): Policy {
  if (servers.length === 0) {
    throw new EnvironmentError({ kind: 'no-server', reason: 'No inference server is configured.' });
  }
  const pool = createServerPool(servers, now);
  const dialects = new Map<string, ChatDialect>();
  const dialectOf = (config: ServerConfig): ChatDialect => {
    const known = dialects.get(config.base_url);
    if (known !== undefined) return known;
    const dialect = createChatDialect({
      server: config.base_url,
      isStrict: isExternal(config),
      ...(onNote === undefined ? {} : { onLearnt: onNote }),
    });
    dialects.set(config.base_url, dialect);
    return dialect;
  };
  const waiters: (() => void)[] = [];

  async function withServer<T>(work: (server: PooledServer) => Promise<T>): Promise<T> {
    let server = pool.choose();
    while (server === undefined) {
      await new Promise<void>((resolve) => waiters.push(resolve));
      server = pool.choose();
    }
    server.inFlight += 1;
    try {
      return await work(server);
    } catch (error) {
      if (ClientError.isInstance(error) && error.retryable) pool.rest(server);
      throw error;
    } finally {
      server.inFlight -= 1;
      waiters.shift()?.();
    }
  }

  async function ask(asked: PolicyRequest): Promise<Completion[]> {
    const patience = servers.length === 1 ? retryForMs : Math.min(RETRY_MS_OF_MANY, retryForMs);
    for (let attempt = 1; ; attempt += 1) {
      asked.signal?.throwIfAborted();
      try {
        return await withServer(async ({ config }) => {
          const completions = await sendInDialect(dialectOf(config), toBody(asked, config), (body) =>
            request({
              url: config.base_url,
              method: 'POST',
              path: '/chat/completions',
              body,
              headers: headersOf(asked, config),
              signal: asked.signal,
              timeoutMs: config.timeout * 1000,
              retryForMs: patience,
              fetch: send,
              parse: readCompletions,
            }),
          );
          return checkCompletions({ completions, asked, config, needsTokens });
        });
      } catch (error) {
        const isLast = attempt >= servers.length || !ClientError.isInstance(error) || !error.retryable;
        if (isLast) throw error;
      }
    }
  }

  return {
    async complete(asked) {
      const alone = servers.every(({ n_kwarg_is_ignored: ignored }) => ignored);
      if (!alone || asked.samples === 1) return ask(asked);
      const single = Array.from({ length: asked.samples }, (_, index) =>
        ask({
          ...asked,
          samples: 1,
          ...(asked.seed === undefined ? {} : { seed: (asked.seed + index) % 0x7fff_ffff }),
          rolloutIds: asked.rolloutIds?.slice(index, index + 1),
        }),
      );
      return (await Promise.all(single)).flat();
    },
  };
}

function toBody(asked: PolicyRequest, { model_name: model, extra_body: extra }: ServerConfig): Record<string, unknown> {
  return {
    model,
    messages: asked.messages,
    n: asked.samples,
    max_tokens: asked.maxTokens,
    ...(asked.maxTotalTokens === undefined ? {} : { max_total_tokens: asked.maxTotalTokens }),
    temperature: asked.temperature,
    ...(asked.topP === undefined || asked.topP === 1 ? {} : { top_p: asked.topP }),
    ...(asked.stop === undefined || asked.stop.length === 0 ? {} : { stop: asked.stop }),
    ...(asked.seed === undefined ? {} : { seed: asked.seed }),
    ...(asked.tools === undefined || asked.tools.length === 0 ? {} : { tools: asked.tools }),
    ...(asked.history === undefined ? {} : { history_token_ids: Array.from(asked.history) }),
    ...EXTRA_FIELDS,
    ...extra,
    ...asked.extraBody,
  };
}

/** vLLM's names, which our own server has too. Who refuses them is sent them once. */
const EXTRA_FIELDS = { logprobs: true, return_token_ids: true } as const;

function headersOf({ rolloutIds }: PolicyRequest, { api_key: key }: ServerConfig): Record<string, string> {
  return {
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(rolloutIds === undefined || rolloutIds.length === 0 ? {} : { [HEADERS.rolloutId]: rolloutIds.join(',') }),
  };
}

function checkCompletions(options: {
  completions: Completion[];
  asked: PolicyRequest;
  config: ServerConfig;
  needsTokens: boolean;
}): Completion[] {
  const { completions, asked, config, needsTokens } = options;
  const call = `POST ${config.base_url}/chat/completions`;
  if (completions.length < asked.samples) {
    throw new ClientError({
      code: 'unreadable-reply',
      call,
      reason: `${asked.samples} replies were asked for and ${completions.length} came`,
      hint: 'If the server ignores n, set openai.n_kwarg_is_ignored.',
      retryable: false,
    });
  }
  const broken = completions.find(({ tokens, logprobs }) => tokens.length > 0 && logprobs.length !== tokens.length);
  if (broken !== undefined) {
    throw new ClientError({
      code: 'unreadable-reply',
      call,
      reason: `${broken.logprobs.length} logprobs came for ${broken.tokens.length} tokens`,
      retryable: false,
    });
  }
  if (needsTokens && !completions.every((completion) => hasTokens(completion) && completion.tokens.length > 0)) {
    throw new EnvironmentError({
      kind: 'no-tokens',
      reason: `The server at ${config.base_url} does not tell which tokens it sampled, and nothing can be trained on text alone.`,
      hint:
        'Use the inference of the run (http://localhost:8001/v1), or vLLM 0.10.2 or newer; ' +
        '`lachesis env evaluate` and `lachesis env process` work with this server as it is.',
    });
  }
  return completions.slice(0, asked.samples);
}
