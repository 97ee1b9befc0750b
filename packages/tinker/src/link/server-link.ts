import { isRecord } from '@lachesis/protocol';
import { BodyMemory } from '../codec/body-memory.ts';
import { TinkerProtocolError } from '../errors/client-errors.ts';
import { ByteBudget } from '../futures/byte-budget.ts';
import type { Journal } from '../futures/journal.ts';
import { pollFuture } from '../futures/poll-future.ts';
import type { ClientFlags } from '../profile/client-flags.ts';
import { FieldFilter } from '../profile/field-filter.ts';
import type { ServerProfile } from '../profile/server-profile.ts';
import { startDeadline } from '../transport/deadline.ts';
import type { Deadline, WaitOptions } from '../transport/deadline.ts';
import type { Reply } from '../transport/reply.ts';
import type { RequestOptions, Transport } from '../transport/transport.ts';

export interface ServerLinkOptions {
  transport: Transport;
  profile: ServerProfile;
  flags: ClientFlags;
  journal: Journal | undefined;
  /** The time a call gets when its caller gives none. */
  defaultTimeoutMs: number;
  /** Ends everything. */
  signal?: AbortSignal | undefined;
}

export interface PostOptions extends Omit<RequestOptions, 'operation'> {
  /** Fields the call makes no sense without. */
  required?: readonly string[];
  headers?: Readonly<Record<string, string>>;
}

/** A connection to one server, with what is known about it. Training and sampling share it. */
export class ServerLink {
  readonly transport: Transport;
  readonly profile: ServerProfile;
  readonly flags: ClientFlags;
  readonly journal: Journal | undefined;
  readonly fields: FieldFilter;
  readonly trainingDispatch: ByteBudget;
  readonly bodyMemory = new BodyMemory();
  readonly #downloads: ByteBudget;
  readonly #defaultTimeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #reportedKnobs = new Set<string>();
  /** Protobuf until a server refuses it. */
  trainingBody: ServerProfile['trainingBody'];

  constructor({ transport, profile, flags, journal, defaultTimeoutMs, signal }: ServerLinkOptions) {
    this.transport = transport;
    this.profile = profile;
    this.flags = flags;
    this.journal = journal;
    this.fields = new FieldFilter({ profile, onEvent: transport.onEvent });
    this.trainingDispatch = new ByteBudget(flags.trainingDispatchBytes);
    this.#downloads = new ByteBudget(flags.downloadBytes);
    this.#defaultTimeoutMs = defaultTimeoutMs;
    this.#signal = signal;
    this.trainingBody = profile.trainingBody;
  }

  deadline({ timeoutMs = this.#defaultTimeoutMs, signal }: WaitOptions = {}): Deadline {
    const both = [this.#signal, signal].filter((each) => each !== undefined);
    const joined = both.length > 1 ? AbortSignal.any(both) : both[0];
    return startDeadline({ timeoutMs, signal: joined, clock: this.transport.clock });
  }

  /** Posts the least JSON the server accepts and returns the object it answers with. */
  async post(
    operation: string,
    body: Readonly<Record<string, unknown>>,
    { required = [], headers, ...options }: PostOptions,
  ): Promise<Record<string, unknown>> {
    this.reportDroppedKnobs(operation, body);
    const send = (): Promise<Reply> =>
      this.transport.request(
        { path: operation, json: this.fields.clean(operation, body), ...(headers === undefined ? {} : { headers }) },
        { ...options, operation },
      );
    let reply: Reply;
    try {
      reply = await send();
    } catch (error) {
      if (!this.fields.learn(operation, error, new Set(required))) throw error;
      reply = await send();
    }
    return toObject(reply, operation);
  }

  async get(path: string, options: RequestOptions): Promise<Record<string, unknown>> {
    return toObject(await this.transport.request({ method: 'GET', path }, options), options.operation ?? path);
  }

  /** Waits for the result of a job. */
  future(options: {
    requestId: string;
    operation: string;
    binary: boolean;
    deadline: Deadline;
    /** The size of the result, where the server has told it. */
    payloadBytes?: number | undefined;
  }): Promise<Reply> {
    return pollFuture({
      transport: this.transport,
      requestId: options.requestId,
      operation: options.operation,
      acceptsProtobuf: options.binary,
      deadline: options.deadline,
      asksForSize: this.profile.tellsSize,
      payloadBytes: options.payloadBytes,
      downloads: this.#downloads,
      billingPauseMs: this.flags.billingPauseMs,
    });
  }

  /** Tells once per setting that the server takes it and does something else. */
  reportDroppedKnobs(operation: string, body: Readonly<Record<string, unknown>>): void {
    const dropped = this.profile.droppedKnobs[operation];
    if (dropped === undefined) return;
    const flat: Record<string, unknown> = { ...body };
    for (const value of Object.values(body)) {
      if (isRecord(value)) Object.assign(flat, value);
    }
    for (const [knob, reason] of Object.entries(dropped)) {
      const key = `${operation}.${knob}`;
      if (!isSet(knob, flat[knob]) || this.#reportedKnobs.has(key)) continue;
      this.#reportedKnobs.add(key);
      this.transport.onEvent({ type: 'knob-dropped', operation, knob, reason });
    }
  }
}

/** A setting at its default asks for nothing: no clipping, no overwriting, and every layer trained. */
function isSet(knob: string, value: unknown): boolean {
  if (value === undefined || value === null || value === 0) return false;
  return knob.startsWith('train_') ? value === false : value !== false;
}

export function toObject(reply: Reply, operation: string): Record<string, unknown> {
  // `null` and an empty body are how servers say "done" where there is nothing to tell.
  const value = reply.json() ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new TinkerProtocolError({ operation, status: reply.status, reason: 'the body is no JSON object' });
  }
  return value as Record<string, unknown>;
}

/** A text field an answer must have. */
export function readText(value: Readonly<Record<string, unknown>>, field: string, operation: string): string {
  const text = value[field];
  if (typeof text === 'string' && text !== '') return text;
  // SkyRL's request ids were numbers once.
  if (typeof text === 'number') return String(text);
  throw new TinkerProtocolError({ operation, reason: `it has no ${field}` });
}
