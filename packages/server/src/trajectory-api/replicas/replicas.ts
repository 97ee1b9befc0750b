import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { holdLease, listLeases, type Store } from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LIFE, type AskMessage } from './ask-message.ts';
import { postJson, type Answer, type Post } from './post-json.ts';
import { ReplicaToken } from './replica-token.ts';

export interface ReplicasOptions {
  store: Store;
  /** Where the other servers reach this one, such as `http://10.0.0.5:8100`. */
  address: string;
  /** Another for each life of a process. */
  life: string;
  log: Logger;
  /** How long a server that is silent keeps its runs. */
  leaseSeconds?: number | undefined;
  monotonic: () => number;
  post?: Post;
}

type Life = Exclude<Awaited<ReturnType<typeof holdLease>>, { heldBy: string }>;

const LEASE_SECONDS = 5;
/** Looks within a lease: who has died is known soon after its lease is over. */
const LOOKS = 4;
/** A server is asked for so long whether it lives; one that has said nothing until then is taken to live. */
const LIFE_MS = 2_500;
/** One try of it. */
const LIFE_TRY_MS = 500;
/** Until the next try, where one failed at once: a server that has just come back may not be able to answer yet. */
const LIFE_PAUSE_MS = 25;

const splitName = (name: string): string => name.split(' ', 1)[0] ?? '';

/**
 * The servers that share the runs of one database, as one of them sees the others. A server is known by its address and its life;
 * that it lives is a lease in the store, and so is each run it owns.
 */
export class Replicas {
  readonly store: Store;
  readonly name: string;
  readonly leaseSeconds: number;
  readonly #options: ReplicasOptions;
  readonly #post: Post;
  readonly #token: ReplicaToken;
  /** Servers that refused a connection: no process listens there any more. */
  readonly #refused = new Set<string>();
  readonly #heard = new Map<string, number>();
  #live = new Set<string>();
  #life: Life | null = null;
  #timer: NodeJS.Timeout | null = null;
  #keeping: Promise<void> | null = null;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.store = options.store;
    this.name = `${options.address} ${options.life}`;
    this.leaseSeconds = options.leaseSeconds ?? LEASE_SECONDS;
    this.#post = options.post ?? postJson();
    this.#token = new ReplicaToken(options);
  }

  async start(): Promise<void> {
    await this.#keepAlive();
    const period = (this.leaseSeconds * 1000) / LOOKS;
    this.#timer = setInterval(() => {
      this.#keeping ??= this.#keepAlive()
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, 'the other servers could not be looked up; it is tried again'),
        )
        .finally(() => {
          this.#keeping = null;
        });
    }, period);
    this.#timer.unref();
  }

  /** Whether a server will never write or answer again, as far as one can know. */
  isGone(name: string): boolean {
    if (name === this.name) return false;
    if (this.#refused.has(name)) return true;
    if (this.#live.has(name)) return false;
    // Whoever asked us since we looked lives, though it has come later than that.
    const heardAt = this.#heard.get(name);
    return heardAt === undefined || this.#options.monotonic() - heardAt > this.leaseSeconds * 2000;
  }

  /** Whether a server need not be waited for: its address is ours now, or nobody listens there. */
  isReplaced(name: string): boolean {
    return name !== this.name && (splitName(name) === this.#options.address || this.#refused.has(name));
  }

  /** Whether a server is gone, of which nobody may have heard yet: it is asked itself. One that does not answer may live. */
  async isAway(name: string): Promise<boolean> {
    if (name === this.name) return false;
    const message = { id: '', from: this.name, tenantId: '', runName: '', command: LIFE, input: {} };
    const until = this.#options.monotonic() + LIFE_MS;
    while (!this.isGone(name) && this.#options.monotonic() < until) {
      try {
        const { status, body } = await this.ask(name, message, LIFE_TRY_MS);
        if (status === 200) {
          // Another life listens at its address.
          if ((body as { value?: unknown }).value !== name) this.#noteGone(name);
          break;
        }
      } catch {
        // Refused is noted by `ask`. A connection that breaks was kept from the life before, or its server dies just now.
      }
      await sleep(LIFE_PAUSE_MS);
    }
    return this.isGone(name);
  }

  hear(name: string): void {
    this.#heard.set(name, this.#options.monotonic());
    this.#refused.delete(name);
  }

  /** Reads who lives. */
  async look(): Promise<void> {
    const leases = await listLeases({ store: this.store, tenantId: LOCAL_TENANT, kind: 'replica' });
    this.#live = new Set(leases.map(({ holder }) => holder));
    for (const name of this.#refused) if (!this.#live.has(name)) this.#refused.delete(name);
    for (const [name, at] of this.#heard) {
      if (this.#options.monotonic() - at > this.leaseSeconds * 2000) this.#heard.delete(name);
    }
  }

  /** Asks another server. A connection that is refused or breaks is an error; an answer of any kind is one. */
  async ask(name: string, message: AskMessage, timeoutMs: number): Promise<Answer> {
    const token = await this.#token.read();
    try {
      const path = message.command === LIFE ? LIFE : 'ask';
      const answer = await this.#post({ url: `${splitName(name)}/${path}`, token, body: message, timeoutMs });
      if (answer.status === 401) this.#token.forget();
      return answer;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') this.#noteGone(name);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#keeping;
    await this.#life?.[Symbol.asyncDispose]();
    // One that stays runs out by itself.
    await this.#token.end().catch(() => undefined);
  }

  #noteGone(name: string): void {
    this.#refused.add(name);
    this.#heard.delete(name);
  }

  async #keepAlive(): Promise<void> {
    if (this.#life === null || this.#life.signal.aborted) {
      const held = await holdLease({
        ...{ store: this.store, tenantId: LOCAL_TENANT, kind: 'replica', resource: this.#options.address },
        ...{ holder: this.name, seconds: this.leaseSeconds },
        // We listen there, so nobody else does.
        isGone: () => true,
      });
      if (!('heldBy' in held)) this.#life = held;
    }
    await this.look();
    await this.#token.renew();
  }
}
