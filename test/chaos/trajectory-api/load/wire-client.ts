import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { callOnce, CallTimeoutError } from './call-once.ts';
import type { Call, CallTarget, Reply } from './call-once.ts';

export interface WireClientOptions {
  readonly host?: string;
  readonly port: number;
  /** Further servers of the same run: every attempt goes to the next one, as through a balancer that goes round. */
  readonly otherPorts?: readonly number[];
  /** Each uses a run of its own, so that each has a ledger of its own. */
  readonly runName: string;
  readonly timeoutMs?: number;
  /** How long after a failure the same call is made again, at most; half of it at least. */
  readonly retryMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Longer than any deadline of the server: an answer that takes this long is a hang. */
export const HANG_MS = 30_000;

/** Longer than any outage the shows make; who gives up after this long has met a server that does not come back. */
const GIVE_UP_MS = 90_000;

/** One run of the server, spoken to by a client that does not give up. */
export class WireClient {
  readonly #target: CallTarget;
  readonly #ports: readonly number[];
  #turn = 0;
  readonly #prefix: string;
  readonly #retryMs: number;
  #isClosed = false;
  /** Calls that the server let hang. */
  hangs = 0;
  /** Longest time to an answer or a failure of one attempt. */
  slowestMs = 0;
  readonly failures = new Map<string, number>();

  constructor(options: WireClientOptions) {
    const { host = '127.0.0.1', port, timeoutMs = HANG_MS, headers } = options;
    const agent = new Agent({ keepAlive: true });
    this.#target = { host, port, agent, timeoutMs, ...(headers === undefined ? {} : { headers }) };
    this.#ports = [port, ...(options.otherPorts ?? [])];
    this.#prefix = `/run/${options.runName}`;
    this.#retryMs = options.retryMs ?? 60;
  }

  /** One attempt. Undefined: no answer came, so nobody knows what happened. */
  async tryOnce(call: Call): Promise<Reply | undefined> {
    const startedAt = performance.now();
    try {
      this.#turn += 1;
      const port = this.#ports[this.#turn % this.#ports.length] ?? this.#target.port;
      return await callOnce({ ...this.#target, port }, { ...call, path: `${this.#prefix}${call.path}` });
    } catch (error) {
      if (error instanceof CallTimeoutError) this.hangs += 1;
      this.#countFailure(error instanceof Error && 'code' in error ? String(error.code) : String(error));
      return undefined;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    }
  }

  /**
   * The same call until it is answered with something that a repetition would not change; undefined once closed. `onBusy`: it was told that
   * the run has enough for now.
   */
  async insist(call: Call, { onBusy }: { onBusy?: () => void } = {}): Promise<Reply | undefined> {
    const startedAt = performance.now();
    while (!this.#isClosed) {
      const reply = await this.tryOnce(call);
      if (reply !== undefined && reply.status < 500 && reply.status !== 429) return reply;
      if (reply !== undefined) this.#countFailure(String(reply.status));
      if (reply?.status === 429) onBusy?.();
      if (performance.now() - startedAt > GIVE_UP_MS) {
        const failures = JSON.stringify(Object.fromEntries(this.failures));
        throw new Error(`${call.method} ${call.path} met only failures for ${GIVE_UP_MS} ms: ${failures}`);
      }
      await sleep(this.#retryMs * (0.5 + Math.random() / 2));
    }
    return undefined;
  }

  async insistJson(call: Omit<Call, 'body'> & { json?: unknown }): Promise<{ status: number; json: unknown }> {
    const { json, ...rest } = call;
    const reply = await this.insist({ ...rest, ...(json === undefined ? {} : { body: encodeJson(json) }) });
    if (reply === undefined) throw new Error(`${call.method} ${call.path} was given up: the client is closed`);
    return { status: reply.status, json: JSON.parse(reply.body.toString()) as unknown };
  }

  /** Ends the calls under way and lets nobody insist any longer. */
  close(): void {
    this.#isClosed = true;
    this.#target.agent.destroy();
  }

  #countFailure(kind: string): void {
    this.failures.set(kind, (this.failures.get(kind) ?? 0) + 1);
  }
}

export function encodeJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
