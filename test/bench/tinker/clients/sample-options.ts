export interface SampleOptions {
  readonly url: string;
  readonly count: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
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
