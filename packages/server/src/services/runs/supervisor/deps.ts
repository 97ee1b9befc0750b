import type { IdSource } from '@lachesis/protocol';
import type { RunProcessRecord, Store } from '@lachesis/store';
import type { ProcessTable } from './process-table.ts';
import type { PlanRun, Preflight } from './run-plan.ts';

/** How long things may take. */
export interface SupervisorTimes {
  /** A supervisor that says nothing for this long has lost its runs. */
  leaseSeconds: number;
  renewEveryMs: number;
  tickMs: number;
  reapEveryMs: number;
  /** How long a process may take until it answers: an engine that loads a large model is slow. */
  readyMs: number;
  /** From the request to the hard end, by role; together so much less than the 15 seconds a stop may take that a busy machine keeps them too. */
  graceMs: Readonly<Record<'api' | 'env' | 'trainer', number>>;
  /** A run whose ticks break for this long is given up. */
  brokenMs: number;
  /** How long the token of a process is good when nobody renews it: a control server that is away for less ends no run. */
  tokenSeconds: number;
  /** How long a trainer may wait once the environment has nothing more to do. */
  idleMs: number;
}

export const DEFAULT_TIMES: SupervisorTimes = Object.freeze({
  leaseSeconds: 15,
  renewEveryMs: 5_000,
  tickMs: 500,
  reapEveryMs: 15_000,
  readyMs: 600_000,
  // The trainer needs five to let go of what it serves. When the API's turn comes nobody calls it any more.
  graceMs: Object.freeze({ env: 2_000, trainer: 6_000, api: 2_000 }),
  brokenMs: 60_000,
  idleMs: 30_000,
  tokenSeconds: 3_600,
});

export interface SupervisorDeps {
  store: Store;
  /** Whose runs these are, see `identifyLibrary`. */
  library: string;
  table: ProcessTable;
  /** Another machine that processes of a run live on, see `findOtherHost`. */
  findOtherHost: (processes: readonly RunProcessRecord[]) => string | undefined;
  plan: PlanRun;
  preflight: Preflight;
  ids: IdSource;
  fetch: typeof fetch;
  /** Milliseconds that never go back. */
  monotonic: () => number;
  times: SupervisorTimes;
  /** Looked after in the same rounds; says whether there is something to do. */
  others?: (() => Promise<boolean>) | undefined;
  /** For a person who reads the log of the server. */
  say: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}
