/** How the recording server behaves. */
export interface RecordingServerOptions {
  /** How long a sample takes, however many are under way. */
  readonly delayMs: number;
  /** What `client/config` answers. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** What the server has seen since it was last told to forget. */
export interface Recording {
  /** When each heartbeat came, in milliseconds of the server's own clock. */
  readonly heartbeats: readonly number[];
  /** Requests by path. */
  readonly counts: Readonly<Record<string, number>>;
  readonly passes: {
    readonly requests: number;
    /** Of the bodies that were kept. */
    readonly bytes: number;
    /** How often each byte value occurred in them: the same for two encodings that differ in the order of map entries alone. */
    readonly histogram: readonly number[];
    /** When the last one was acknowledged, on the monotonic clock that all processes of the machine share. */
    readonly lastNs: string;
  };
}
