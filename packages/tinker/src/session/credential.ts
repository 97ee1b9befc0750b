export interface CredentialOptions {
  apiKey: string | undefined;
  /** Sends the key itself and returns the token. */
  exchange: () => Promise<string>;
  wallClock: () => number;
}

/** A token is renewed this long before it ends. */
const RENEW_BEFORE_MS = 300_000;

/** The credential of a client: the key it was given, or the short-lived token the server made of it. */
export class Credential {
  readonly #options: CredentialOptions;
  #token: string | undefined;
  #endsAt = 0;
  #renewing: Promise<void> | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** What is sent now. */
  current(): string | undefined {
    return this.#token ?? this.#options.apiKey;
  }

  /** Whether there is a token and it is near its end. */
  get isStale(): boolean {
    return this.#token !== undefined && this.#options.wallClock() > this.#endsAt - RENEW_BEFORE_MS;
  }

  /** Exchanges the key for a token. Several callers at once make one exchange. */
  renew(): Promise<void> {
    this.#renewing ??= this.#exchange().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #exchange(): Promise<void> {
    const token = await this.#options.exchange();
    this.#token = token;
    this.#endsAt = readExpiryMs(token) ?? this.#options.wallClock() + 2 * RENEW_BEFORE_MS;
  }
}

/** The `exp` of a JWT. Nothing is verified: the server does that. */
function readExpiryMs(token: string): number | undefined {
  const part = token.split('.')[1];
  if (part === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
