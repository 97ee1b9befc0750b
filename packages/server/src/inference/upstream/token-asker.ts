import type { CallEndpoint } from '@lachesis/sdk/capture';

/** Whether an upstream is asked for token ids: when it is known to give them, always, or never. */
export type TokenAsking = 'auto' | 'always' | 'never';

/** Fields that are added to a request that does not have them. */
export type AskedFields = Readonly<Record<string, unknown>>;

export interface TokenAskerOptions {
  asking: TokenAsking;
  /** Who the upstream says owns its models; undefined when it does not say. */
  findOwner: () => Promise<string | undefined>;
  /** Milliseconds; only differences count. */
  monotonic: () => number;
}

/** An upstream may be replaced by another behind the same address. */
const REMEMBER_MS = 10 * 60_000;
/** One that did not answer is asked again soon, and not with every call. */
const RETRY_MS = 30_000;

/** Our own servers give logprobs with the ids; vLLM has to be asked for both. */
const FIELDS: Readonly<Record<string, Partial<Record<CallEndpoint, AskedFields>>>> = {
  lachesis: { chat: { return_token_ids: true }, completions: { return_token_ids: true } },
  vllm: {
    chat: { return_token_ids: true, logprobs: true },
    completions: { return_token_ids: true, logprobs: 0 },
  },
};

/** Knows what to add to a request so that its reply can be trained on. */
export class TokenAsker {
  readonly #options: TokenAskerOptions;
  #known: { owner: Promise<string | undefined>; until: number } | undefined;

  constructor(options: TokenAskerOptions) {
    this.#options = options;
  }

  /** Undefined when the request goes on as it is. Waits for the upstream's name with the first call alone. */
  async find(endpoint: CallEndpoint): Promise<AskedFields | undefined> {
    const { asking } = this.#options;
    if (asking === 'never') return undefined;
    if (asking === 'always') return FIELDS['vllm']?.[endpoint];
    const owner = await this.#findOwner();
    return owner === undefined ? undefined : FIELDS[owner]?.[endpoint];
  }

  #findOwner(): Promise<string | undefined> {
    const { findOwner, monotonic } = this.#options;
    if (this.#known !== undefined && monotonic() < this.#known.until) return this.#known.owner;
    const known = { owner: Promise.resolve<string | undefined>(undefined), until: monotonic() + REMEMBER_MS };
    known.owner = findOwner().catch(() => {
      // The call itself says what is wrong with the upstream.
      known.until = monotonic() + RETRY_MS;
      return undefined;
    });
    this.#known = known;
    return known.owner;
  }
}
