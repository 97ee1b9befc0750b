import { Connection } from './connection.ts';
import type { Origin } from './connection.ts';

const SWEEP_MS = 500;
/** Samples under way, each with a poll of its own, and training beside them. */
const MAX_CONNECTIONS = 2_500;

/** The connections to one server. The one that was used last is used next, so that those of a burst are closed soon. */
export class ConnectionPool {
  readonly #origin: Origin;
  readonly #free: Connection[] = [];
  readonly #waiting = new Set<(connection: Connection) => void>();
  #open = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** A connection for one request; waits while all are in use. */
  async take(signal: AbortSignal): Promise<Connection> {
    const connection = this.#takeFree() ?? (this.#open < MAX_CONNECTIONS ? this.#connect() : undefined);
    return connection ?? this.#wait(signal);
  }

  #takeFree(): Connection | undefined {
    const connection = this.#free.at(-1);
    // The sweeper may be late when the program was busy: a connection as old may be closed on the other side by now.
    if (connection === undefined || connection.freeUntilMs <= performance.now()) return undefined;
    this.#free.pop();
    return connection;
  }

  #connect(): Connection {
    this.#open += 1;
    return new Connection({
      origin: this.#origin,
      onFree: (connection) => this.#release(connection),
      onClosed: (connection) => this.#remove(connection),
    });
  }

  #release(connection: Connection): void {
    const [next] = this.#waiting;
    if (next !== undefined) {
      this.#waiting.delete(next);
      next(connection);
      return;
    }
    this.#free.push(connection);
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  #remove(connection: Connection): void {
    this.#open -= 1;
    const place = this.#free.indexOf(connection);
    if (place >= 0) this.#free.splice(place, 1);
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next(this.#connect());
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#free.filter(({ freeUntilMs }) => freeUntilMs <= now)) connection.close();
    if (this.#free.length > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  async #wait(signal: AbortSignal): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const giveUp = (): void => {
      this.#waiting.delete(resolve);
      reject(new Error('aborted'));
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}
