import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { createProcessToken, endProcessTokens, renewProcessToken, type Store } from '@lachesis/store';

/** What a server's token is good for: asking other servers. It is no scope, so that no route lets it in. */
export const REPLICA_SCOPE = 'replica';

const LIFETIME_MS = 60 * 60_000;

export interface ReplicaTokenOptions {
  store: Store;
  address: string;
  life: string;
  monotonic: () => number;
}

/** What a server shows to the others. It is made when it is first needed, lives for an hour, and is made to live longer. */
export class ReplicaToken {
  readonly #options: ReplicaTokenOptions;
  readonly #key: Parameters<typeof renewProcessToken>[0];
  #token: Promise<string> | null = null;
  #renewedAt = 0;

  constructor(options: ReplicaTokenOptions) {
    const { store, address, life } = options;
    this.#options = options;
    this.#key = {
      ...{ store, tenantId: LOCAL_TENANT, run: 'replicas', role: address, instanceId: life },
      lifetimeMs: LIFETIME_MS,
    };
  }

  read(): Promise<string> {
    this.#token ??= this.#create().catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
    return this.#token;
  }

  /** Somebody ended it, or it ran out: the next one who needs it makes another. */
  forget(): void {
    this.#token = null;
  }

  async renew(): Promise<void> {
    const now = this.#options.monotonic();
    if (this.#token === null || now - this.#renewedAt < LIFETIME_MS / 4) return;
    if (await renewProcessToken(this.#key)) this.#renewedAt = now;
    else this.forget();
  }

  async end(): Promise<void> {
    await this.#endTokens();
  }

  async #create(): Promise<string> {
    // Those of earlier lives at this address, and ours that we forgot.
    await this.#endTokens();
    const { token } = await createProcessToken({ ...this.#key, scopes: [REPLICA_SCOPE] });
    this.#renewedAt = this.#options.monotonic();
    return token;
  }

  #endTokens(): Promise<void> {
    const { store, tenantId, run, role } = this.#key;
    return endProcessTokens({ store, tenantId, run, role });
  }
}
