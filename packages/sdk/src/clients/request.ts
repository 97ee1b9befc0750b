import { readAddresses, type Addresses } from './addresses.ts';
import { ClientError } from './client-error.ts';
import { hideTokens, realClock, type Clock } from '@lachesis/protocol';
import { readRefusal } from './read-refusal.ts';

/** What every call of a client shares. */
export interface RequestBase {
  /** Where the server is; it may end in `/run/<name>`. Of several servers of one run, separated by commas, the next is asked when one is away. */
  url: string;
  token?: string | undefined;
  fetch?: typeof fetch | undefined;
  clock?: Clock | undefined;
  random?: (() => number) | undefined;
}

export interface SendOptions extends RequestBase {
  /** Those of `url`, for a client whose calls share which of them is away. */
  addresses?: Addresses | undefined;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the server's root on, with its slash. */
  path: string;
  /** Bytes go as they are; anything else goes as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  /** How long one try may take, reading the reply included; default 30 seconds. */
  timeoutMs?: number | undefined;
  /**
   * For how long a call that failed on its way, was answered with 5xx or was asked to come back later is tried again.
   * Give it only to calls that may be made twice; default 0, one try.
   */
  retryForMs?: number | undefined;
}

export interface RequestOptions<T> extends SendOptions {
  /** Turns the JSON of the reply into what the caller gets, or throws. `schema.parse` fits. */
  parse: (reply: unknown) => T;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** A reply that is worked for begins late. */
const STREAM_TIMEOUT_MS = 300_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Makes a call and reads its JSON. */
export function request<T>({ parse, ...options }: RequestOptions<T>): Promise<T> {
  return retry(options, async (response, call) => {
    const text = await response.text();
    try {
      return parse(JSON.parse(text));
    } catch (cause) {
      throw new ClientError({
        code: 'unreadable-reply',
        call,
        reason: 'the reply is not what this call gives. Is another program, or another version, listening there?',
        status: response.status,
        retryable: false,
        cause,
      });
    }
  });
}

/** Makes a call and reads the bytes of the reply. */
export function requestBytes(options: SendOptions): Promise<Uint8Array<ArrayBuffer>> {
  return retry(options, async (response) => new Uint8Array(await response.arrayBuffer()));
}

/** Makes a call until its reply begins, which the caller then reads: what breaks off after that is not tried again. */
export function requestStream(options: SendOptions): Promise<Response> {
  return retry({ timeoutMs: STREAM_TIMEOUT_MS, ...options }, async (response) => response);
}

async function retry<T>(options: SendOptions, read: (response: Response, call: string) => Promise<T>): Promise<T> {
  const { clock = realClock, random = Math.random, signal, retryForMs = 0 } = options;
  const { addresses = readAddresses(options.url) } = options;
  const until = clock.now() + retryForMs;
  let unreached = 0;
  for (let attempt = 1; ; attempt += 1) {
    const asked = { ...options, url: addresses.current() };
    const call = `${options.method} ${withoutSecrets(joinUrl(asked))}`;
    refuseClimbing(options.path, call);
    try {
      return await tryOnce(asked, call, read);
    } catch (error) {
      signal?.throwIfAborted();
      if (!ClientError.isInstance(error)) throw error;
      // What a busy server asks for, the others ask for too.
      if (error.retryable && error.status !== 429) addresses.skip(asked.url);
      // Who was not reached has heard nothing: the next is asked at once, also for a call that is made once.
      unreached = isUnreached(error) ? unreached + 1 : 0;
      if (unreached % addresses.size > 0) continue;
      const pause = error.retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      // Up to half is taken off, so that clients cut off together come back apart; never off what the server asked for.
      const wait = error.retryAfterMs === undefined ? pause * (1 - random() / 2) : pause * (1 + random() / 4);
      if (!error.retryable || clock.now() + wait > until) {
        throw attempt === 1 ? error : new ClientError({ ...factsOf(error), attempts: attempt });
      }
      await clock.sleep(wait, signal);
      signal?.throwIfAborted();
    }
  }
}

async function tryOnce<T>(
  options: SendOptions,
  call: string,
  read: (response: Response, call: string) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = globalThis.fetch } = options;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    const response = await send(joinUrl(options), {
      method: options.method,
      headers: headersOf(options),
      signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
      redirect: 'manual',
      ...bodyOf(options.body),
    });
    if (!response.ok) throw await readRefusal(response, call);
    return await read(response, call);
  } catch (error) {
    if (ClientError.isInstance(error)) throw error;
    if (limit.signal.aborted) {
      const reason = `there was no answer within ${timeoutMs} ms`;
      throw new ClientError({ code: 'timeout', call, reason, retryable: true, cause: error });
    }
    const retryable = !isRefusedPort(error);
    throw new ClientError({ code: 'connection', call, reason: describeCause(error), retryable, cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A name such as `..` is no part of a path: whoever reads the address would leave the place that was meant. */
export function refuseClimbing(path: string, call: string): void {
  const [place = ''] = path.split(/[?#]/, 1);
  const wrong = place
    .split('/')
    .slice(1)
    .find((part, index, parts) => (part === '' && (index > 0 || parts.length > 1)) || /^(?:\.|%2e){1,2}$/i.test(part));
  if (wrong === undefined) return;
  const reason = `${JSON.stringify(decodeURIComponent(wrong))} is no id and no name`;
  throw new ClientError({ code: 'invalid', call, reason, retryable: false, hint: 'Give one as the server listed it.' });
}

const joinUrl = ({ url, path }: SendOptions): string => `${url.replace(/\/+$/, '')}${path}`;

function headersOf({ token, headers, body }: SendOptions): Record<string, string> {
  const isJson = body !== undefined && !(body instanceof Uint8Array);
  return {
    accept: 'application/json, */*',
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
}

function bodyOf(body: unknown): { body?: string | Uint8Array<ArrayBuffer> } {
  if (body === undefined) return {};
  // A view on shared memory cannot be sent; ours never is one.
  return { body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) };
}

/** An address may carry a name and a password, or a key; errors and logs must not. */
function withoutSecrets(address: string): string {
  try {
    const url = new URL(address);
    url.username = '';
    url.password = '';
    return hideTokens(`${url.origin}${url.pathname}`);
  } catch {
    // Not an address at all: the call fails with that reason, and there is nothing in it to hide.
    return address;
  }
}

/** Ports of old services, such as 1 and 9, are asked by no `fetch`, whatever listens there: trying again changes nothing. */
const isRefusedPort = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';

const isUnreached = ({ cause }: ClientError): boolean =>
  cause instanceof Error &&
  cause.cause instanceof Error &&
  'code' in cause.cause &&
  cause.cause.code === 'ECONNREFUSED';

/** The reason `fetch` hides in the cause: `ECONNREFUSED` and the like. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  const { code } = cause as { code?: unknown };
  if (isRefusedPort(error))
    return 'no client may ask a server on this port. Let it listen on another, or correct the address';
  if (code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED). Start the server, or correct the address';
  return typeof code === 'string' && !cause.message.includes(code) ? `${cause.message} (${code})` : cause.message;
}

/** What an error says, for another one of the same call. */
export function factsOf(error: ClientError): ConstructorParameters<typeof ClientError>[0] {
  const { code, call, reason, status, retryable, hint, issues, retryAfterMs, attempts, cause } = error;
  return { code, call, reason, status, retryable, hint, issues, retryAfterMs, attempts, cause };
}
