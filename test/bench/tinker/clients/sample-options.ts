export interface SampleOptions {
  readonly url: string;
  readonly count: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** The seeded fault: requests go through `fetch`, at three times the work. */
  readonly usesFetch?: boolean;
}

/** For the requests alone. */
export interface BareOptions extends SampleOptions {
  /** A result is asked for so long after its sample was taken; 0 asks at once, and the server holds the question. */
  readonly askAfterMs: number;
}

export interface SampleFigures {
  /** Samples that came back as they should. */
  readonly completed: number;
  readonly wallMs: number;
  /** User and system time of all threads of the process, from the first call until the last result. */
  readonly cpuMs: number;
  /** The most the process ever had in memory, its start included. */
  readonly peakRssBytes: number;
}
