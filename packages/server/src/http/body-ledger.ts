/** What a body may hold before it can be made to wait: small bodies pass whatever others send. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Parts of the whole that one token and one tenant may hold: another tenant always finds a quarter free. */
const TOKEN_SHARE = 1 / 2;
const TENANT_SHARE = 3 / 4;

export interface BodyOwner {
  tenantId: string;
  /** Null without tokens: then there is nobody to share with. */
  tokenId: string | null;
}

/** What one body holds. */
export interface BodyAccount {
  /** Charges bytes that have arrived. A promise says: read on when it resolves. */
  take(bytes: number): Promise<void> | undefined;
  /** Gives everything back; may be called again. */
  release(): void;
}

interface Pool {
  readonly limit: number;
  used: number;
  accounts: number;
  /** The one body that reads on beyond the limit, so that half-read bodies never wait for each other. */
  ahead: Account | undefined;
}

/**
 * The memory of request bodies, charged as bytes arrive and never by what was announced. Beyond the share of a token, of a
 * tenant or of all, senders wait in their sockets, one of them at a time going on; so memory stays under the whole, one
 * largest body and `SMALL_BODY_BYTES` for each connection.
 */
export class BodyLedger {
  readonly #all: Pool;
  readonly #shares = new Map<string, Pool>();
  readonly #waiting = new Set<Account>();

  constructor(capacityBytes: number) {
    this.#all = createPool(capacityBytes);
  }

  get used(): number {
    return this.#all.used;
  }

  open({ tenantId, tokenId }: BodyOwner): BodyAccount {
    const keys =
      tokenId === null
        ? []
        : ([
            [`token ${tokenId}`, TOKEN_SHARE],
            [`tenant ${tenantId}`, TENANT_SHARE],
          ] as const);
    const pools = keys.map(([key, part]) => this.#findShare(key, part));
    return new Account({
      pools: [this.#all, ...pools],
      waiting: this.#waiting,
      onRelease: () => {
        for (const [index, [key]] of keys.entries()) if (pools[index]?.accounts === 0) this.#shares.delete(key);
        for (const account of this.#waiting) account.tryAgain();
      },
    });
  }

  #findShare(key: string, part: number): Pool {
    const found = this.#shares.get(key);
    if (found !== undefined) return found;
    const pool = createPool(this.#all.limit * part);
    this.#shares.set(key, pool);
    return pool;
  }
}

const createPool = (limit: number): Pool => ({ limit, used: 0, accounts: 0, ahead: undefined });

interface AccountParts {
  pools: readonly Pool[];
  /** In the order in which they began to wait. */
  waiting: Set<Account>;
  onRelease: () => void;
}

class Account implements BodyAccount {
  readonly #parts: AccountParts;
  #held = 0;
  #isOpen = true;
  #goOn: (() => void) | undefined;

  constructor(parts: AccountParts) {
    this.#parts = parts;
    for (const pool of parts.pools) pool.accounts += 1;
  }

  take(bytes: number): Promise<void> | undefined {
    if (!this.#isOpen) return undefined;
    this.#held += bytes;
    for (const pool of this.#parts.pools) pool.used += bytes;
    if (this.#held <= SMALL_BODY_BYTES || this.#mayGoOn()) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
      this.#parts.waiting.add(this);
    });
  }

  tryAgain(): void {
    if (this.#mayGoOn()) this.#wake();
  }

  release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const pool of this.#parts.pools) {
      pool.used -= this.#held;
      pool.accounts -= 1;
      if (pool.ahead === this) pool.ahead = undefined;
    }
    this.#wake();
    this.#parts.onRelease();
  }

  #mayGoOn(): boolean {
    // Almost always: nothing is full.
    if (this.#parts.pools.every((pool) => pool.used <= pool.limit)) return true;
    const full = this.#parts.pools.filter((pool) => pool.used > pool.limit && pool.ahead !== this);
    if (full.some((pool) => pool.ahead !== undefined)) return false;
    for (const pool of full) pool.ahead = this;
    return true;
  }

  #wake(): void {
    this.#parts.waiting.delete(this);
    this.#goOn?.();
    this.#goOn = undefined;
  }
}
