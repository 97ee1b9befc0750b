import { LachesisError } from '@lachesis/protocol';
import { LOCAL_PRINCIPAL, type Principal } from './principal.ts';

export interface TokenDirectory {
  /** The principal a token stands for, if it is known, not expired and not revoked. */
  find(token: string): Promise<Principal | null>;
  /** How many tokens were ever made here: the first one ends open access. */
  count(): Promise<number>;
}

/** Revocation and the first token must take effect within this time. */
const REMEMBER_MS = 1_000;

/**
 * Turns a credential into a principal with its scopes, and remembers it for a moment. Without any token in the store a
 * caller is the local principal: that is only offered by servers that listen on loopback.
 */
export class Authenticator {
  readonly #directory: TokenDirectory;
  readonly #monotonic: () => number;
  readonly #known = new Map<string, { principal: Promise<Principal | null>; readAt: number }>();
  #isClosed: { answer: Promise<boolean>; readAt: number } | null = null;
  #wasClosed = false;

  constructor(options: { directory: TokenDirectory; monotonic?: () => number }) {
    this.#directory = options.directory;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  /** `maxAgeMs`: how old what is remembered of the credential may be. */
  async authenticate(credential: string | null, maxAgeMs = REMEMBER_MS): Promise<Principal> {
    if (credential === null) {
      if (await this.#needsToken()) {
        throw new LachesisError({
          code: 'unauthorized',
          message: 'this server needs a token',
          hint: 'Send it as `Authorization: Bearer <token>` or `x-lachesis-token: <token>`, or use http://user:<token>@host as the base URL. `lachesis token create` makes one; apps use the address that `lachesis up` prints.',
        });
      }
      return LOCAL_PRINCIPAL;
    }
    const principal = await this.#lookUp(credential, maxAgeMs);
    if (principal !== null) return principal;
    throw new LachesisError({
      code: 'unauthorized',
      message: 'the token is unknown, expired or revoked',
      hint: '`lachesis token list` shows which are good; `lachesis token create` makes one.',
    });
  }

  async #needsToken(): Promise<boolean> {
    if (this.#wasClosed) return true;
    const now = this.#monotonic();
    if (this.#isClosed === null || now - this.#isClosed.readAt > REMEMBER_MS) {
      // As with a credential: those who come while it is asked wait for the one answer.
      const entry = { answer: this.#directory.count().then((tokens) => tokens > 0), readAt: now };
      this.#isClosed = entry;
      entry.answer.catch(() => {
        if (this.#isClosed === entry) this.#isClosed = null;
      });
    }
    // For good: an older answer that comes later must not open it again.
    if (await this.#isClosed.answer) this.#wasClosed = true;
    return this.#wasClosed;
  }

  #lookUp(token: string, maxAgeMs: number): Promise<Principal | null> {
    const now = this.#monotonic();
    const known = this.#known.get(token);
    if (known !== undefined && now - known.readAt <= maxAgeMs) return known.principal;
    // The promise is remembered and not what comes of it: a thousand streams of one token ask once.
    const principal = this.#directory.find(token);
    // Guesses must not fill the memory.
    if (this.#known.size > 10_000) this.#known.clear();
    const entry = { principal, readAt: now };
    this.#known.set(token, entry);
    principal.catch(() => {
      if (this.#known.get(token) === entry) this.#known.delete(token);
    });
    return principal;
  }
}
