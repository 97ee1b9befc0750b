/** What stands behind the ? of an address: words, as people type them. */
export type Search = Partial<Record<string, string>>;
