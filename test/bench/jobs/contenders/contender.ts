/** What a worker tells of an item while it goes on. */
export interface WorkerReport {
  /** The call that claimed it took so long. */
  claimed(ms: number): void;
  /** Its work was begun, or was done: what is not told before the end is lost by a kill. */
  begun(item: number): void;
  worked(item: number): void;
}

export interface WorkOptions {
  /** Items in hand at once. */
  readonly concurrency: number;
  /** How long the work of an item takes. */
  readonly workMs: number;
  /** One life of one process. */
  readonly holder: string;
  readonly report: WorkerReport;
  /** The fault: an item is ended before its work. */
  readonly endsFirst?: boolean;
}

/** A queue over one PostgreSQL, as its users call it. */
export interface Contender extends AsyncDisposable {
  /** Puts so many items in. */
  fill(count: number): Promise<void>;
  countDone(): Promise<number>;
  /** Works until it is ended from outside. */
  work(options: WorkOptions): Promise<never>;
  /** What an operator, or a process of the queue's own, does beside the workers. */
  supervise(): Promise<void>;
  /** Notes every write of an end, by whom it may be, in `job_ends`. */
  readonly trigger: { readonly table: string; readonly key: string; readonly isEnd: string };
}

/** How long a claim holds without its worker. */
export const LEASE_SECONDS = 2;

export const rest = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** So many loops at once: each claims an item, works on it and ends it. */
export async function workInLoops<Item>(
  { concurrency, workMs, report, endsFirst = false }: WorkOptions,
  steps: {
    claim: () => Promise<Item | undefined>;
    numberOf: (item: Item) => number;
    end: (item: Item) => Promise<void>;
  },
): Promise<never> {
  const loop = async (): Promise<never> => {
    for (;;) {
      const from = performance.now();
      const item = await steps.claim();
      if (item === undefined) {
        await rest(50);
        continue;
      }
      report.claimed(performance.now() - from);
      report.begun(steps.numberOf(item));
      if (endsFirst) await steps.end(item);
      if (workMs > 0) await rest(workMs);
      report.worked(steps.numberOf(item));
      if (!endsFirst) await steps.end(item);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  throw new Error('the loops have ended');
}
