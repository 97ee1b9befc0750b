import type { RequestPlan } from './request-plans.ts';
import { WeightsError } from './weights-error.ts';

/** Where the weights are, and how to ask. */
export interface WeightsServer {
  /** Such as `http://127.0.0.1:8000`; may have a path. */
  readonly baseUrl: string;
  /** Headers with the credential. They go to this server and to no other place it sends us to. */
  headers?(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly fetch?: typeof fetch;
}

/** An answer whose body is still to be read, within a limit of silence. */
export interface OpenResponse {
  readonly response: Response;
  readonly url: URL;
  /** The body. Fails when nothing comes for the idle time. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Lets go of the connection. */
  close(): void;
}

export interface OpenWeightsOptions {
  server: WeightsServer;
  url: URL;
  method?: RequestPlan['method'];
  headers?: Readonly<Record<string, string>>;
  /** How long a server may be silent, before its answer and inside of it. */
  idleMs: number;
  signal?: AbortSignal | undefined;
}

export const urlOf = ({ baseUrl }: WeightsServer, { path, query = {} }: RequestPlan): URL => {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
};

/** Sends one request and does not follow where it leads. */
export async function openUrl(options: OpenWeightsOptions): Promise<OpenResponse> {
  const { server, url, method = 'GET', idleMs, signal } = options;
  const { fetch: send = fetch } = server;
  const isOwn = url.origin === new URL(server.baseUrl).origin;
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), idleMs);
  };
  const close = () => {
    clearTimeout(timer);
    silence.abort();
  };
  const explain = (cause: unknown): WeightsError => {
    if (WeightsError.isInstance(cause)) return cause;
    if (signal?.aborted === true) {
      return new WeightsError({ reason: 'abandoned', message: 'The download was abandoned by its caller.', cause });
    }
    const what = silence.signal.aborted ? `was silent for ${idleMs} ms` : 'did not answer, or broke off';
    return new WeightsError({ reason: 'transport', message: `${url.host} ${what}.`, cause });
  };
  touch();
  try {
    const response = await send(url, {
      method,
      redirect: 'manual',
      // Compression on the way would make byte ranges and lengths mean something else.
      headers: { 'accept-encoding': 'identity', ...(isOwn ? await server.headers?.() : {}), ...options.headers },
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    });
    touch();
    return {
      response,
      url,
      close,
      bytes: async function* () {
        try {
          for await (const piece of response.body ?? []) {
            touch();
            yield piece as Uint8Array;
          }
        } catch (error) {
          throw explain(error);
        } finally {
          close();
        }
      },
    };
  } catch (error) {
    const explained = explain(error);
    close();
    throw explained;
  }
}

/** The error for an answer that is none of the wanted ones. */
export function refusal({ response, url }: OpenResponse, what: string): WeightsError {
  const { status } = response;
  const retryable = status === 408 || status === 425 || status === 429 || status >= 500;
  return new WeightsError({
    reason: 'refused',
    status,
    retryable,
    message: `${url.host} answered ${status} to ${what}.`,
  });
}

/** The place an answer points to, when it is a redirect. */
export function redirectOf({ response, url }: OpenResponse): URL | undefined {
  const location = response.headers.get('location');
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return undefined;
  if (!URL.canParse(location, url.href)) {
    throw new WeightsError({ reason: 'protocol', message: `${url.host} redirects to something that is no address.` });
  }
  const target = new URL(location, url);
  if (target.protocol !== 'file:' && target.protocol !== 'https:' && target.protocol !== url.protocol) {
    const message = `${url.host} redirects to ${target.protocol}//${target.host}, which is not as safe as ${url.protocol}//.`;
    throw new WeightsError({ reason: 'unsafe-location', message });
  }
  return target;
}
