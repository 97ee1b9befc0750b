import { createTinkerClient } from '@lachesis/tinker';
import type { TinkerEvent, TinkerService, TrainingClient } from '@lachesis/tinker';
import type { TinkerClientOptions } from '../../../../packages/tinker/src/create-tinker-client.ts';

import { Wire } from './wire.ts';

export type ServerName = 'skyrl' | 'tuft';

/** Where a server is and what it wants. */
export interface ServerAddress {
  readonly name: ServerName;
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly baseModel: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON it came with, or an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server, and a client of ours that works on it. */
export interface Subject extends AsyncDisposable {
  readonly server: ServerAddress;
  readonly service: TinkerService;
  /** A model that the cases share; they leave no gradients on it. */
  readonly training: TrainingClient;
  readonly wire: Wire;
  readonly events: readonly TinkerEvent[];
  /** The long form was asked for. */
  readonly full: boolean;
  /** Asks the server directly, without our client. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A second client on the same server. */
  open(options?: OpenSubjectOptions): Promise<Subject>;
}

export interface OpenSubjectOptions {
  readonly full?: boolean;
  readonly client?: TinkerClientOptions;
  readonly prepare?: (wire: Wire) => void;
}

export const RANK = 8;
/** Waits on the servers of the suite. The first job of a shape is compiled, which takes half a minute on a busy machine. */
export const PATIENCE_MS = 120_000;

/** Connects a client to the server and makes a model. */
export async function openSubject(server: ServerAddress, options: OpenSubjectOptions = {}): Promise<Subject> {
  const wire = new Wire();
  options.prepare?.(wire);
  const events: TinkerEvent[] = [];
  const client = createTinkerClient({
    baseUrl: server.url,
    apiKey: server.apiKey,
    // Keys of the machine's user are not for test servers.
    env: {},
    normalisation: 'server',
    fetch: wire.fetch,
    timeoutMs: PATIENCE_MS,
    onEvent: (event) => void events.push(event),
    ...options.client,
  });
  const service = await client.connect();
  const training = await service.createTraining({ baseModel: server.baseModel, rank: RANK, seed: 1 });
  return {
    server,
    service,
    training,
    wire,
    events,
    full: options.full ?? false,
    ask: (method, path, body, headers = {}) => ask(server, { method, path, body, headers }),
    open: (more = {}) => openSubject(server, more),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

async function ask(
  server: ServerAddress,
  { method, path, body, headers }: { method: string; path: string; body: unknown; headers: Record<string, string> },
): Promise<Answer> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      ...(server.apiKey === undefined ? {} : { 'x-api-key': server.apiKey }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true;
  const parsed: unknown = isJson ? JSON.parse(text) : {};
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  return {
    status: response.status,
    headers: response.headers,
    body: isObject ? (parsed as Record<string, unknown>) : {},
  };
}
