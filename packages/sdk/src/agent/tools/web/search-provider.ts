export interface WebSearchHit {
  readonly title: string;
  readonly url: string;
  readonly excerpt?: string | undefined;
}

/** Who searches and reads the web. What a model may read outside is for the user to say, so there is none by default. */
export interface SearchProvider {
  search?(query: string, options: { limit: number; signal: AbortSignal }): Promise<readonly WebSearchHit[]>;
  /** The text of a page. */
  extract?(url: string, options: { signal: AbortSignal }): Promise<string>;
}

/** What a provider behind an API is made of. */
export interface SearchApiOptions {
  readonly apiKey?: string | undefined;
  /** Where it is, in the place of its public address. */
  readonly baseUrl?: string | undefined;
  /** Asks the address that a person configured. */
  readonly fetch: typeof fetch;
  /** Asks what a model wrote: held to the egress rule. */
  readonly fetchPage: typeof fetch;
}
