import { HubError } from './hub-error.ts';
import type { HubSettings } from './read-hub-settings.ts';

/** A hub that does not answer a question within this time does not answer. */
const ASK_MS = 30_000;
/** An upload is answered when it has arrived: some hundred megabytes over a slow line. */
const UPLOAD_MS = 3_600_000;
/** A body that may have to be sent again behind a redirect is kept by `fetch`, all of it; storage does not redirect. */
const ONCE = { redirect: 'error', window: null } as const;
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export interface HubFetchOptions {
  readonly fetch?: typeof fetch;
  readonly signal: AbortSignal;
  /** How often it is asked at most. */
  readonly attempts?: number | undefined;
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** `fetch` for the hub's client: asks again after 429, 5xx and broken connections, for as long as the hub says or doubling. */
export function createHubFetch(options: HubFetchOptions): typeof fetch {
  const { fetch: send = fetch, signal, attempts = ATTEMPTS, sleep = pause } = options;
  return async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const reply = await ask(send, input, init, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (attempt >= attempts) throw error;
        return undefined;
      });
      if (reply !== undefined && (!isPassing(reply.status) || attempt >= attempts)) return reply;
      await reply?.body?.cancel();
      await sleep(readPause(reply, attempt), signal);
    }
  };
}

/** The deadline is for the answer's head: how long a body may take is judged by whether it moves. */
async function ask(
  send: typeof fetch,
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const late = new AbortController();
  const isUpload = init?.method === 'PUT';
  const mostMs = isUpload ? UPLOAD_MS : ASK_MS;
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${mostMs / 1000} s`)), mostMs);
  try {
    const signals = [signal, late.signal, ...(init?.signal ? [init.signal] : [])];
    return await send(input, { ...init, ...(isUpload ? ONCE : {}), signal: AbortSignal.any(signals) });
  } finally {
    clearTimeout(timer);
  }
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

function readPause(reply: Response | undefined, attempt: number): number {
  const seconds = Number(reply?.headers.get('retry-after') ?? Number.NaN);
  const wanted = Number.isFinite(seconds) ? seconds * 1000 : FIRST_PAUSE_MS * 2 ** (attempt - 1);
  return Math.min(wanted, LONGEST_PAUSE_MS);
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    const cancel = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    function done(): void {
      signal.removeEventListener('abort', cancel);
      resolve();
    }
    signal.addEventListener('abort', cancel, { once: true });
  });
}

/** Turns what the hub's client throws into a sentence that says what to do. */
export function describeHubFailure(
  error: unknown,
  { repository, settings }: { repository: string; settings: Pick<HubSettings, 'token' | 'url'> },
): unknown {
  if (HubError.isInstance(error)) return error;
  const { statusCode: status } = error as { statusCode?: number };
  const host = new URL(settings.url).host;
  if (status === 401 || status === 403) {
    return new HubError({
      ...{ kind: 'no-access', repository, cause: error },
      reason: `${host} does not give ${repository} to ${settings.token === undefined ? 'somebody without a token' : 'this token'}.`,
      hint: `Accept its terms at ${settings.url}/${repository}, and set HF_TOKEN to a token that may read it. A name with a typing error is answered in the same way.`,
    });
  }
  if (status === 404) {
    return new HubError({
      ...{ kind: 'not-found', repository, cause: error },
      reason: `${host} has no ${repository}.`,
      hint: 'Check the name and the revision, or name a folder of this machine.',
    });
  }
  const reason = error instanceof Error ? describeCause(error) : String(error);
  return new HubError({
    ...{ kind: 'unreachable', repository, cause: error },
    reason: `${repository} could not be fetched from ${host}: ${reason}.`,
    hint: 'Try again: what has arrived is kept. HF_ENDPOINT names another hub; a folder of this machine needs none.',
  });
}

/** Node's fetch says only "fetch failed"; why is in its cause. */
export function describeCause(error: Error): string {
  const { cause } = error;
  const told = cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message;
  return told.replace(/\.$/, '').slice(0, 300);
}
