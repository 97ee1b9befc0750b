import { createIdSource, isFinalRunState } from '@lachesis/protocol';
import { findTrainingRun, openHome, requestRunStop, type TrainingRun } from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyLibrary } from '../library/identify-library.ts';
import { DEFAULT_TIMES, type SupervisorTimes } from './supervisor/deps.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { openSystemProcesses } from './supervisor/system-processes.ts';
import { LOCAL_TENANT } from '@lachesis/protocol/names';

export interface StopRunOptions {
  home: string;
  databaseUrl?: string | undefined;
  /** As people see it. */
  shortId: string;
  tenantId?: string;
  reason?: string;
  /** How long to wait for the end. A stop takes 15 seconds at most, and as much again when a lease has to run out. */
  waitMs?: number;
  times?: Partial<SupervisorTimes>;
}

const POLL_MS = 100;

/** Asks for the end of a run, and if nobody looks after the run becomes the one who does. */
export async function endRun(options: StopRunOptions): Promise<TrainingRun | undefined> {
  const {
    home,
    databaseUrl,
    shortId,
    tenantId = LOCAL_TENANT,
    reason = 'asked for on the machine',
    waitMs = 30_000,
  } = options;
  const { store } = await openHome({ home, databaseUrl });
  try {
    const key = { store, tenantId, shortId };
    const run = await findTrainingRun(key);
    if (run === undefined || isFinalRunState(run.state)) return run;
    await requestRunStop({ store, tenantId, runId: run.runId, reason });
    const supervisor = new Supervisor(
      {
        ...{
          store,
          library: identifyLibrary({ home, databaseUrl }),
          table: openSystemProcesses(),
          ids: createIdSource(),
        },
        // Who asks for the end of a run means it, wherever its processes are.
        findOtherHost: () => undefined,
        plan: () => Promise.reject(new Error('A run that is being stopped starts nothing.')),
        preflight: async () => ({ passed: false, reason: 'it is being stopped' }),
        ...{ fetch, monotonic: () => performance.now(), times: { ...DEFAULT_TIMES, tickMs: 200, ...options.times } },
        say: () => undefined,
      },
      { isMine: ({ runId }) => runId === run.runId },
    );
    supervisor.start();
    const until = performance.now() + waitMs;
    let seen: TrainingRun | undefined = run;
    while (seen !== undefined && !isFinalRunState(seen.state) && performance.now() < until) {
      await sleep(POLL_MS);
      seen = await findTrainingRun(key);
    }
    await supervisor.stop();
    return seen;
  } finally {
    await store.close();
  }
}
