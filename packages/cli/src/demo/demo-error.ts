const marker = Symbol.for('lachesis.cli.demo-error');

/** Something the demo started failed: which part, and what it printed last. */
export class DemoError extends Error {
  static isInstance(value: unknown): value is DemoError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'DemoError';
  readonly [marker] = true;
  /** `trainer`, `environment`, `trajectory API` or `engine`. */
  readonly station: string;
  readonly logFile: string;
  readonly lastLines: readonly string[];

  constructor(facts: {
    station: string;
    reason: string;
    logFile: string;
    lastLines: readonly string[];
    cause?: unknown;
  }) {
    const { station, reason, logFile, lastLines } = facts;
    const shown = lastLines.length === 0 ? '  (it is empty)' : lastLines.map((line) => `  ${line}`).join('\n');
    super(`${reason}\nlast lines of the ${station}, ${logFile}:\n${shown}`, { cause: facts.cause });
    this.station = station;
    this.logFile = logFile;
    this.lastLines = lastLines;
  }
}
