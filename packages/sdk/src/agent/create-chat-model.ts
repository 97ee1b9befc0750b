import { chatMessageSchema, isProviderUrl } from '@lachesis/protocol';
import { z } from 'zod';
import { findChatDialect, sendInDialect } from '../clients/chat-dialect.ts';
import { request, type RequestBase } from '../clients/request.ts';
import type { AgentModel } from './agent-model.ts';
import { hideToolImages } from './tool-reply.ts';

/** Where an OpenAI-compatible server is, and the key and headers it is asked with. */
export interface ModelServerOptions extends Omit<RequestBase, 'token'> {
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface ChatModelOptions extends ModelServerOptions {
  model: string;
  /** Temperature and the like, sent as they are. */
  sampling?: Readonly<Record<string, unknown>> | undefined;
  /** How long one reply may take; default five minutes. */
  timeoutMs?: number | undefined;
  /** For how long a server that is away or busy is asked again; default one minute. */
  retryForMs?: number | undefined;
  /** Told once for each thing the server turned out not to take, as a sentence. */
  onNote?: ((sentence: string) => void) | undefined;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_RETRY_MS = 60_000;
const LIST_TIMEOUT_MS = 10_000;

const count = z.number().catch(0);

// Servers that call themselves compatible leave out ids, dates and places; what is not used is not asked for.
const replySchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: chatMessageSchema.extend({ role: z.string().default('assistant') }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).nullish().catch(null),
});

const modelsSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/** A model behind any OpenAI-compatible server. */
export function createChatModel(options: ChatModelOptions): AgentModel {
  const { model, sampling, timeoutMs = DEFAULT_TIMEOUT_MS, retryForMs = DEFAULT_RETRY_MS } = options;
  const dialect = findChatDialect({
    server: options.url,
    isStrict: isProviderUrl(options.url),
    fetch: options.fetch ?? globalThis.fetch,
    onLearnt: options.onNote,
  });
  return async ({ messages, tools, signal }) => {
    // A server may refuse an empty list of tools.
    const said = hideToolImages(messages);
    const asked = { ...sampling, model, messages: said, ...(tools.length === 0 ? {} : { tools }), stream: false };
    const { choices, usage } = await sendInDialect(dialect, asked, (body) =>
      request({
        ...baseOf(options),
        ...{ method: 'POST', path: '/chat/completions', signal, timeoutMs, retryForMs, body },
        parse: replySchema.parse,
      }),
    );
    const [choice] = choices as [(typeof choices)[number]];
    return { message: choice.message, finishReason: choice.finish_reason ?? null, usage: usage ?? undefined };
  };
}

/** The names of the models that a server offers. Throws when it is away. */
export async function listModels(options: ModelServerOptions & { signal?: AbortSignal }): Promise<string[]> {
  const { data } = await request({
    ...baseOf(options),
    ...{ method: 'GET', path: '/models', signal: options.signal, timeoutMs: LIST_TIMEOUT_MS },
    parse: modelsSchema.parse,
  });
  return data.map(({ id }) => id);
}

function baseOf({
  url,
  apiKey,
  fetch,
  clock,
  random,
  headers,
}: ModelServerOptions): RequestBase & Pick<ModelServerOptions, 'headers'> {
  return { url: toBaseUrl(url), token: apiKey, fetch, clock, random, headers };
}

/** The base URL as OpenAI's clients mean it; a bare host gets the `/v1` that people leave out. */
function toBaseUrl(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/v1` : trimmed;
}
