import { type Clock, createIdSource, type IdSource, realClock } from '@lachesis/protocol';
import type { OnTinkerEvent } from './events.ts';
import { Journal, openJournalFile } from './futures/journal.ts';
import type { JournalFile } from './futures/journal.ts';
import type { ReadText } from './link/read-model-folder.ts';
import { readText as readField, ServerLink, toObject } from './link/server-link.ts';
import type { ServerProfile } from './profile/server-profile.ts';
import { TinkerService } from './service/tinker-service.ts';
import { Credential } from './session/credential.ts';
import { Heartbeat } from './session/heartbeat.ts';
import { refreshFlags } from './session/refresh-flags.ts';
import { openSession, probeServer } from './session/open-session.ts';
import type { SessionOptions } from './session/open-session.ts';
import type { NormalisationChoice } from './training/training-client.ts';
import { startDeadline } from './transport/deadline.ts';
import type { WaitOptions } from './transport/deadline.ts';
import { createHttpClient, fromFetch } from './transport/http-client.ts';
import { Transport } from './transport/transport.ts';

/** Where the managed service is. */
const MANAGED_URL = 'https://tinker.thinkingmachines.dev/services/tinker-prod';
/** Long enough for a queue that is paused for a while, and an end to waits nobody comes back to. */
const DEFAULT_TIMEOUT_MS = 3_600_000;
const CREDENTIAL_CHECK_MS = 60_000;
const EXCHANGE_TIMEOUT_MS = 60_000;

export interface TinkerClientOptions extends SessionOptions {
  /** Default: `TINKER_BASE_URL`, then the managed service. */
  baseUrl?: string | undefined;
  /** Default: `TINKER_API_KEY`. Servers that ask for none may go without. */
  apiKey?: string | undefined;
  /** Default: Node's own HTTP client. */
  fetch?: typeof fetch | undefined;
  /** Ends everything this client does. */
  signal?: AbortSignal | undefined;
  /** What a gradient is: the sum of the losses on every server (default), or what the server makes of it. */
  normalisation?: NormalisationChoice | undefined;
  onEvent?: OnTinkerEvent | undefined;
  /** A file that remembers requests, so that a process that was killed can be continued. */
  journalPath?: string | undefined;
  journalFile?: JournalFile | undefined;
  /** The time any call gets when it is given none; default one hour. */
  timeoutMs?: number | undefined;
  /** Corrections to what probing finds. */
  profile?: Partial<ServerProfile> | undefined;
  /** Further headers for every call, such as those of an access proxy. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Default 10 s; `false` for a client that only asks questions. */
  heartbeatMs?: number | false | undefined;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  clock?: Clock | undefined;
  wallClock?: (() => number) | undefined;
  random?: (() => number) | undefined;
  ids?: IdSource | undefined;
  readText?: ReadText | undefined;
}

/** A Tinker server by its address, as `downloadAdapter` takes one; `connect` finds out what kind it is. */
export interface TinkerClient {
  readonly baseUrl: string;
  /** What the server knows its caller by. Whoever sends it follows no redirect: the next server would be shown the key. */
  headers(): Readonly<Record<string, string>>;
  /** Opens a session, keeps it alive, and finds out what kind of server it is. */
  connect(wait?: WaitOptions): Promise<TinkerService>;
}

/** A client for any Tinker server, managed or your own. Nothing is sent before `connect`. */
export function createTinkerClient(options: TinkerClientOptions = {}): TinkerClient {
  const { env = process.env } = options;
  const baseUrl = (options.baseUrl ?? env['TINKER_BASE_URL'] ?? MANAGED_URL).replace(/\/+$/, '');
  const key = options.apiKey ?? env['TINKER_API_KEY'] ?? '';
  return {
    baseUrl,
    headers: () => (key === '' ? {} : { 'x-api-key': key }),
    connect: (wait = {}) => connect(baseUrl, options, wait),
  };
}

async function connect(baseUrl: string, options: TinkerClientOptions, wait: WaitOptions): Promise<TinkerService> {
  const {
    env = process.env,
    clock = realClock,
    wallClock = Date.now,
    random = Math.random,
    ids = createIdSource(),
    signal = wait.signal,
  } = options;
  const onEvent = guardEvents(options.onEvent);
  const apiKey = options.apiKey ?? env['TINKER_API_KEY'];
  let billingPauseMs = DEFAULT_TIMEOUT_MS;
  const transport: Transport = new Transport({
    baseUrl,
    sendHttp: options.fetch === undefined ? createHttpClient() : fromFetch(options.fetch),
    credential: () => credential.current(),
    clock,
    wallClock,
    random,
    newId: countFrom(ids.next()),
    onEvent,
    extraHeaders: { 'user-agent': 'lachesis-tinker', ...options.headers },
    billingPauseMs: () => billingPauseMs,
  });
  const deadline = startDeadline({
    timeoutMs: wait.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signal,
    clock,
  });
  const credential: Credential = new Credential({
    apiKey,
    wallClock,
    exchange: async () => {
      const call = { path: 'auth/token', json: {}, headers: { 'x-api-key': apiKey ?? '' } };
      // Its own deadline: it is renewed long after the connection was made.
      const reply = await transport.request(call, {
        deadline: startDeadline({ timeoutMs: EXCHANGE_TIMEOUT_MS, signal, clock }),
      });
      return readField(toObject(reply, 'auth/token'), 'jwt', 'auth/token');
    },
  });
  const { profile, flags, hasDynamicFlags, models } = await probeServer({
    transport,
    deadline,
    profile: options.profile,
    exchangeKey: () => credential.renew(),
  });
  ({ billingPauseMs } = flags);
  const sessionId = await openSession(options, { transport, deadline });
  const file =
    options.journalFile ?? (options.journalPath === undefined ? undefined : openJournalFile(options.journalPath));
  const journal = file === undefined ? undefined : new Journal({ file, onEvent });
  journal?.write({ kind: 'session', sessionId, baseUrl });

  const heartbeat =
    options.heartbeatMs === false
      ? undefined
      : new Heartbeat({
          url: transport.urlOf('session_heartbeat'),
          headers: transport.headers(),
          sessionId,
          intervalMs: options.heartbeatMs,
          onEvent,
          onGone: () => undefined,
        });
  const renewal = renewCredential(credential, () => heartbeat?.setHeaders(transport.headers()), onEvent);
  const stopRefresh = hasDynamicFlags ? refreshFlags({ transport, flags }) : undefined;
  const end = async (): Promise<void> => {
    clearInterval(renewal);
    stopRefresh?.();
    options.signal?.removeEventListener('abort', stop);
    await heartbeat?.stop();
  };
  // Nothing waits for the thread to end, and ending it does not fail.
  const stop = (): void => void end();
  options.signal?.addEventListener('abort', stop, { once: true });
  const link = new ServerLink({
    transport,
    profile,
    flags,
    journal,
    defaultTimeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signal: options.signal,
  });
  return new TinkerService({
    link,
    baseUrl,
    sessionId,
    models,
    heartbeat,
    normalisation: options.normalisation ?? 'sum',
    ids,
    readText: options.readText,
    onClosed: end,
  });
}

/** Ids for the calls of one client: one random part, then a count, which costs nothing thousands of times a second. */
function countFrom(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}

/** Renews a token before it ends. The timer does not keep a program alive that has nothing else to do. */
function renewCredential(credential: Credential, onRenewed: () => void, onEvent: OnTinkerEvent): NodeJS.Timeout {
  const timer = setInterval(() => {
    if (!credential.isStale) return;
    credential.renew().then(onRenewed, (error: Error) => {
      onEvent({ type: 'operation-failed', modelId: '', operation: 'auth/token', error });
    });
  }, CREDENTIAL_CHECK_MS);
  timer.unref();
  return timer;
}

/** A listener that throws must not end a poll or a retry; its error surfaces on its own. */
function guardEvents(onEvent: OnTinkerEvent | undefined): OnTinkerEvent {
  return (event) => {
    try {
      onEvent?.(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
