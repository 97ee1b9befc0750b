import type { z } from 'zod';
import {
  HEADERS,
  type sglangGenerateRequestSchema,
  type completionRequestSchema,
  type chatRequestSchema,
  activePolicySchema,
  chatReplySchema,
  completionReplySchema,
  modelListSchema,
  policyStateSchema,
  sglangGenerateReplySchema,
  type ActivePolicy,
  type PolicyPublication,
  type PolicyState,
} from '@lachesis/protocol';
import { request, type RequestBase, type SendOptions } from './request.ts';

type ChatReply = z.infer<typeof chatReplySchema>;
type ChatRequest = z.input<typeof chatRequestSchema>;
type CompletionReply = z.infer<typeof completionReplySchema>;
type CompletionRequest = z.input<typeof completionRequestSchema>;
type ModelList = z.infer<typeof modelListSchema>;
type SglangGenerateReply = z.infer<typeof sglangGenerateReplySchema>;
type SglangGenerateRequest = z.input<typeof sglangGenerateRequestSchema>;

export type InferenceClientOptions = RequestBase & {
  /** How long a completion may take; default 20 minutes, because an engine may be busy for long. */
  timeoutMs?: number | undefined;
  /** For how long calls are tried again while the server is away or busy; default one minute. A completion has no effect that twice would be too often. */
  retryForMs?: number | undefined;
};

export interface CompletionOptions {
  /** Travels with the request and comes back with the reply: one id, or one per sample. */
  rolloutId?: string | readonly string[] | undefined;
  /** Refuse the call when another version answers. */
  policyVersion?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface InferenceHealth {
  status: string;
  /** Null while no weights are loaded, undefined for a server that is not ours. */
  policy_version?: number | null | undefined;
}

/** A client of the inference station. Replies are whole; ask the route itself for a stream. */
export interface InferenceClient {
  chat(body: ChatRequest, options?: CompletionOptions): Promise<ChatReply>;
  complete(body: CompletionRequest, options?: CompletionOptions): Promise<CompletionReply>;
  /** One reply per sample. */
  generate(body: SglangGenerateRequest, options?: CompletionOptions): Promise<SglangGenerateReply[]>;
  models(options?: { signal?: AbortSignal | undefined }): Promise<ModelList>;
  /** Throws while the server cannot answer completions. */
  health(options?: { signal?: AbortSignal | undefined }): Promise<InferenceHealth>;
  /** Resolves when the new weights answer. The same version may be published again. */
  publishPolicy(
    publication: PolicyPublication,
    options?: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined },
  ): Promise<ActivePolicy>;
  readPolicy(options?: { signal?: AbortSignal | undefined }): Promise<PolicyState>;
}

const DEFAULT_TIMEOUT_MS = 20 * 60_000;
const DEFAULT_RETRY_MS = 60_000;
/** Loading a large checkpoint takes minutes. */
const PUBLISH_TIMEOUT_MS = 10 * 60_000;

/** A client of an inference server: chat, completions and generation with token ids, and which policy is served. */
export function createInferenceClient({
  timeoutMs = DEFAULT_TIMEOUT_MS,
  retryForMs = DEFAULT_RETRY_MS,
  url,
  ...rest
}: InferenceClientOptions): InferenceClient {
  // The base URL of OpenAI's clients ends in /v1; ours may be given either way.
  const base = { ...rest, url: url.replace(/\/+$/, '').replace(/\/v1$/, ''), retryForMs };
  const post = (path: string, body: object, options: CompletionOptions): SendOptions => ({
    ...base,
    method: 'POST',
    path,
    body: { ...body, stream: false },
    headers: headersOf(options),
    signal: options.signal,
    timeoutMs,
  });
  return {
    chat: (body, options = {}) =>
      request({ ...post('/v1/chat/completions', body, options), parse: chatReplySchema.parse }),
    complete: (body, options = {}) =>
      request({ ...post('/v1/completions', body, options), parse: completionReplySchema.parse }),
    generate: (body, options = {}) =>
      request({
        ...post('/generate', body, options),
        parse: (reply) => (Array.isArray(reply) ? reply : [reply]).map((each) => sglangGenerateReplySchema.parse(each)),
      }),
    models: ({ signal } = {}) =>
      request({ ...base, method: 'GET', path: '/v1/models', signal, parse: modelListSchema.parse }),
    // Asked to find out whether it answers: a failure is the answer, and is not tried away.
    health: ({ signal } = {}) =>
      request({ ...base, retryForMs: 0, method: 'GET', path: '/health', signal, parse: readHealth }),
    publishPolicy: (publication, { signal, timeoutMs: publishMs = PUBLISH_TIMEOUT_MS } = {}) =>
      request({
        ...base,
        method: 'POST',
        path: '/v1/policy',
        body: publication,
        signal,
        timeoutMs: publishMs,
        parse: activePolicySchema.parse,
      }),
    readPolicy: ({ signal } = {}) =>
      request({ ...base, method: 'GET', path: '/v1/policy', signal, parse: policyStateSchema.parse }),
  };
}

function headersOf({ rolloutId, policyVersion }: CompletionOptions): Record<string, string> {
  return {
    ...(rolloutId === undefined
      ? {}
      : { [HEADERS.rolloutId]: typeof rolloutId === 'string' ? rolloutId : rolloutId.join(',') }),
    ...(policyVersion === undefined ? {} : { [HEADERS.policy]: String(policyVersion) }),
  };
}

/** Other servers answer with an empty page; that they answer is all there is to read. */
function readHealth(reply: unknown): InferenceHealth {
  const { status, policy_version: version } = (reply ?? {}) as Record<string, unknown>;
  return {
    status: typeof status === 'string' ? status : 'ok',
    ...(typeof version === 'number' || version === null ? { policy_version: version } : {}),
  };
}
