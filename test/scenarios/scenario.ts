/** One thing a scenario found out, beside the bar it had to reach. */
export interface ScenarioLine {
  /** What was measured, e.g. `steady sqlite`. */
  name: string;
  /** What came out, e.g. `26.4× (91.2 against 3.5 groups/s)`. */
  figure: string;
  /** What had to come out, e.g. `≥ 20×`. */
  bar: string;
  ok: boolean;
  /** Where it is short, it is for nothing but the time something took: its scenario is run once more, and the second try decides. */
  onlyByClock?: boolean;
  /** It was not measured because a part is missing here; the figure says which. It is neither ok nor short. */
  notRun?: true;
}

/** What a scenario is given. Everything opened through it is closed when the scenario ends, however it ends. */
export interface ScenarioContext {
  /** The long form was asked for (`--full`). */
  full: boolean;
  /** Prints the line and counts it; a scenario may report as many as it likes, and at least one. */
  report(line: ScenarioLine): void;
  /** Prints that a thing was not measured, and why: a part is missing on this machine, or only the long form has time for it. It is counted apart. */
  reportNotRun(line: { name: string; why: string; bar: string }): void;
  /** Progress for the person waiting; goes to standard error and into no figure. */
  log(text: string): void;
  /** A new empty folder, removed at the end. */
  scratch(): Promise<string>;
  /** Runs at the end, last deferred first, also when the scenario throws or is interrupted. */
  defer(cleanup: () => Promise<void> | void): void;
}

/** A claim about the whole system that is shown by running it. */
export interface Scenario {
  /** kebab-case, unique in its suite. */
  name: string;
  /** One sentence for `--list`. */
  title: string;
  run(context: ScenarioContext): Promise<void>;
}
