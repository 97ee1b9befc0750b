import type { createTinkerClient, TinkerEvent, TinkerService } from '@lachesis/tinker';
import type { Logger } from 'pino';
import { untilAborted } from './until-aborted.ts';

type TinkerClient = ReturnType<typeof createTinkerClient>;

export interface TinkerConnectionOptions {
  /** Makes a client that reports to the listener it is given. */
  createClient: (onEvent: (event: TinkerEvent) => void) => TinkerClient;
  /** The server failed a call that is being made again. */
  onTrouble: (reason: string) => void;
  log: Logger;
}

/** A server that is there answers its handshake in milliseconds. */
const CONNECT_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** One session with a Tinker server at a time, opened when it is first needed and again when the server has lost it. */
export class TinkerConnection {
  readonly #options: TinkerConnectionOptions;
  #service: Promise<TinkerService> | undefined;
  #current: TinkerService | undefined;
  #isClosed = false;

  constructor(options: TinkerConnectionOptions) {
    this.#options = options;
  }

  async open(signal?: AbortSignal): Promise<TinkerService> {
    if (this.#isClosed) throw new Error('the connection to the Tinker server is closed');
    if (this.#service === undefined) {
      const service = this.#connect();
      this.#service = service;
      service.catch(() => {
        if (this.#service === service) this.#service = undefined;
      });
    }
    return untilAborted(this.#service, signal);
  }

  isCurrent(service: TinkerService): boolean {
    return this.#current === service;
  }

  /** The server has lost this session; the next call opens another. */
  forget(service: TinkerService): void {
    if (this.#current !== service) return;
    this.#current = undefined;
    this.#service = undefined;
    this.#options.log.warn({ session: service.sessionId }, 'the Tinker server has lost the session; opening another');
    // Ends its heartbeat. What it held is gone already.
    service.close({ leavesModels: true, timeoutMs: CLOSE_TIMEOUT_MS }).catch((error: unknown) => {
      this.#options.log.debug({ err: error }, 'a lost session could not be closed');
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // One that is still being opened ends with the process; nobody waits for a server that does not answer.
    await this.#current?.close({ timeoutMs: CLOSE_TIMEOUT_MS });
  }

  async #connect(): Promise<TinkerService> {
    const { createClient, log } = this.#options;
    let own: TinkerService | undefined;
    const client = createClient((event) => {
      this.#hear(event);
      if (event.type === 'session-ended' && own !== undefined && event.sessionId === own.sessionId) this.forget(own);
    });
    const service = await client.connect({ timeoutMs: CONNECT_TIMEOUT_MS });
    own = service;
    this.#current = service;
    log.info({ url: client.baseUrl, server: service.profile.name }, 'connected to the Tinker server');
    return service;
  }

  #hear(event: TinkerEvent): void {
    const { log, onTrouble } = this.#options;
    switch (event.type) {
      case 'call-retried':
        // A refused connection or a fault of the server; 408 and 429 are its ordinary ways of asking for time.
        if (event.status === undefined || event.status >= 500) {
          onTrouble(event.status === undefined ? `no answer to ${event.operation}` : `HTTP ${event.status}`);
        }
        break;
      case 'heartbeat-missed':
      case 'sampling-limited':
      case 'sampling-resubmitted':
      case 'billing-paused':
      case 'clear-failed':
        log.warn({ event }, 'the Tinker server is in trouble');
        break;
      default:
        log.debug({ event }, 'from the Tinker server');
    }
  }
}
