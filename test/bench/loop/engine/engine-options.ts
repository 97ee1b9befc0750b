/** How long the engine takes for each thing, in milliseconds. */
export interface EngineDelays {
  readonly passMs: number;
  readonly optimizerMs: number;
  readonly saveMs: number;
  /** However many samples are under way. */
  readonly sampleMs: number;
}

/** Something the engine did, on its own clock. */
export interface EngineJob {
  readonly operation: string;
  readonly arrivedMs: number;
  readonly startedMs: number;
  readonly endedMs: number;
}
