/** One agent at work, from its first call to its end. Tools keep what they remember of it by this object, and nothing of another. */
export interface ToolRun {
  /** Called once when the agent has ended, the last one first; at once where it has ended already. */
  onEnd(cleanup: () => Promise<void> | void): void;
}

export interface OpenToolRun extends ToolRun {
  /** Resolves when every tool has let go. A cleanup that fails does not keep the others; it is thrown at the end. */
  end(): Promise<void>;
}

/** What tools of one agent hang on, for whoever calls `runAgent` several times for it; it ends with `end`. */
export function createToolRun(): OpenToolRun {
  const cleanups: (() => Promise<void> | void)[] = [];
  let ending: Promise<void> | undefined;
  const endAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
      try {
        await cleanup();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    onEnd(cleanup) {
      cleanups.push(cleanup);
      // A tool that was given up opened something after the end: nobody else would close it. Nobody is left to be told of a failure.
      if (ending !== undefined) void ending.then(endAll, endAll).catch(() => undefined);
    },
    end: () => (ending ??= endAll()),
  };
}

/** What a tool keeps of each run: made when it is first asked for, gone with the run. Without a run nothing is kept. */
export function keepByRun<T>(create: () => T): (run: ToolRun | undefined) => T {
  const kept = new WeakMap<ToolRun, T>();
  return (run) => {
    if (run === undefined) return create();
    const known = kept.get(run) ?? create();
    kept.set(run, known);
    return known;
  };
}
