/** What became of one request. Names are public: add, do not rename. */
export type EgressVerdict =
  /** It was passed on. */
  | 'allowed'
  /** The rule or the list of hosts says no. */
  | 'refused'
  /** It could be read in two ways, or in none. */
  | 'malformed'
  /** It came without the credential. */
  | 'unauthorized'
  /** More than the rollout may ask, send, receive or wait for. */
  | 'over-quota'
  /** It was allowed, and the other side did not answer. */
  | 'failed';

/** One request as the log has it: where it went, and never what was said. */
export interface EgressLogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** As it was asked for; empty where none could be read. */
  readonly host: string;
  readonly port: number | undefined;
  /** What was connected to, if anything was. */
  readonly address: string | undefined;
  readonly verdict: EgressVerdict;
  /** Why, where it was not allowed. */
  readonly reason: string | undefined;
  readonly upBytes: number;
  readonly downBytes: number;
  readonly durationMs: number;
}
