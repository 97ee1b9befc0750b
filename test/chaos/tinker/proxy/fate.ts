/** What happens to one request on its way. `before`: the server never sees it. `after`: the server has acted on it. */
export type Fate =
  | { readonly kind: 'pass' }
  /** The connection is reset. */
  | { readonly kind: 'cut'; readonly when: 'after' | 'before' }
  /** Something on the way answers in the server's place. */
  | {
      readonly kind: 'status';
      readonly when: 'after' | 'before';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A half-open connection: it stands, and nothing comes. */
  | { readonly kind: 'silence'; readonly when: 'after' | 'before' }
  /** The head and half of the body arrive, then the connection is reset. */
  | { readonly kind: 'truncate' }
  /** The head and half of the body arrive, then nothing. */
  | { readonly kind: 'stall' }
  /** The body trickles in. */
  | { readonly kind: 'trickle'; readonly ms: number }
  /** Something else is done at this moment; then the connection is reset, or the answer passed on. */
  | { readonly kind: 'strike'; readonly when: 'after' | 'before' | 'passed'; readonly strike: () => void };

/** The word for a fate in a log, such as `503 after`. */
export function nameFate(fate: Fate): string {
  const what = fate.kind === 'status' ? String(fate.status) : fate.kind;
  return 'when' in fate ? `${what} ${fate.when}` : what;
}
