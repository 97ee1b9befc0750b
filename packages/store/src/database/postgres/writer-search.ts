import { Client } from 'pg';
import type { ClientConfig, PoolConfig } from 'pg';
import { READ_ONLY } from './postgres-error.ts';
import { isRefusedAtStart } from './session-settings.ts';

/** Which of several servers of one database takes writes, as far as it is known. */
export interface WriterSearch {
  /** How often a connection is tried before nobody is said to be there. */
  readonly tries: number;
  /** For a pool whose connections shall go to the writer. */
  readonly Client: NonNullable<PoolConfig['Client']>;
}

/**
 * New connections go to the server that took the last one. Where it is away or only reads, the one behind it is next, and the
 * connection is an error of which the caller makes another try.
 */
export function createWriterSearch(servers: readonly string[]): WriterSearch {
  let current = 0;

  /** Many connections may find out at once: the first of them moves on. */
  function moveOn(from: number): void {
    if (from === current) current = (current + 1) % servers.length;
  }

  class ServerClient extends Client {
    readonly #server = current;

    constructor(config: ClientConfig) {
      super({ ...config, connectionString: servers[current] });
    }

    override connect(): Promise<void>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<void> | void {
      const connecting = this.#connectToWriter();
      if (callback === undefined) return connecting;
      connecting.then(() => callback(undefined as unknown as Error), callback);
    }

    async #connectToWriter(): Promise<void> {
      try {
        await super.connect();
        const { rows } = await this.query<{ transaction_read_only: string }>('show transaction_read_only');
        if (rows[0]?.transaction_read_only === 'on') {
          throw Object.assign(new Error('the server only reads'), { code: READ_ONLY });
        }
      } catch (error) {
        // Of a pooler that refuses our settings the next packet is another: the server is in order.
        if (!isRefusedAtStart(error)) moveOn(this.#server);
        void this.end().catch(() => undefined);
        throw error;
      }
    }
  }

  // The type of the pool knows no client that is given a configuration, which all of them are.
  return { tries: servers.length, Client: ServerClient as unknown as NonNullable<PoolConfig['Client']> };
}
