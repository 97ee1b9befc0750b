import { isFinalRunState } from '@lachesis/protocol';
import { findTrainingRun, readEventPage, verifyChain } from '@lachesis/store';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../subject/start-subject.ts';
import { countProcesses, describeCounted, isOneOfEach } from './count-processes.ts';
import { HopelessError, waitUntil } from './wait-until.ts';

/** Longest time in which an orphan may be seen. */
const ORPHAN_MS = 30_000;
/** Longer than the second that passes between the death of a process, real or believed, and its next start. */
const WATCH_MS = 2_500;

/** Waits until so many supervisors have had the run, one after another: before that nothing was recovered. */
export async function expectTakeover(subject: Subject, run: string, supervisors: number): Promise<number> {
  return await waitUntil(`supervisor ${supervisors} has the run`, ORPHAN_MS, async () => {
    const taken = (await subject.history(run)).filter(({ kind }) => kind === 'supervisor-changed');
    return taken.length >= supervisors;
  });
}

/** Waits until the run goes on with one of each. Returns how long it took. */
export async function awaitOneOfEach(subject: Subject, run: string, patienceMs = ORPHAN_MS): Promise<number> {
  let seen = 'nothing was seen';
  return await waitUntil(
    () => `the run goes on with one of each process (${seen})`,
    patienceMs,
    async () => {
      const { status, reason } = await subject.look(run);
      const counted = countProcesses(run);
      seen = `it is ${status}${reason === null ? '' : `, ${reason}`}; ${describeCounted(counted)}`;
      if (isFinalRunState(status)) throw new HopelessError(`the run has ended: ${seen}`);
      return status === 'running' && isOneOfEach(counted);
    },
  );
}

/** The same, and sees that it stays so. */
export async function expectOneOfEach(subject: Subject, run: string): Promise<number> {
  const took = await awaitOneOfEach(subject, run);
  const until = performance.now() + WATCH_MS;
  while (performance.now() < until) {
    const counted = countProcesses(run);
    if (!isOneOfEach(counted)) throw new Error(`there were ${describeCounted(counted)}`);
    await sleep(100);
  }
  return took;
}

/** Lets the run finish, and sees that it completes with nothing left behind. */
export async function expectCompletion(subject: Subject, run: string): Promise<void> {
  await writeFile(join(subject.home, 'runs', run, 'finish'), '');
  await expectEnd(subject, run, 'completed');
}

export async function expectEnd(subject: Subject, run: string, state: string, patienceMs = ORPHAN_MS): Promise<void> {
  let seen = 'nothing was seen';
  await waitUntil(
    () => `the run is ${state} (${seen})`,
    patienceMs,
    async () => {
      const { status, reason } = await subject.look(run);
      seen = `it is ${status}, ${reason}`;
      return status === state;
    },
  );
  const counted = countProcesses(run);
  if (counted.all.length > 0) throw new Error(`the run is ${state}, and there are ${describeCounted(counted)}`);
  await expectHistory(subject, run);
}

/** Every link of the chain is there, and the states follow one another. */
export async function expectHistory(subject: Subject, run: string): Promise<void> {
  await subject.withStore(async (store) => {
    const found = await findTrainingRun({ store, tenantId: 'local', shortId: run });
    if (found === undefined) throw new Error(`run ${run} is gone`);
    const events = await readEventPage({ store, tenantId: 'local', runId: found.runId });
    const verdict = verifyChain(events);
    if (!verdict.ok) throw new Error(`the history is broken at ${verdict.cursor}: ${verdict.reason}`);
    const states = events.flatMap(
      ({ kind }) => /^run-(starting|running|stopping|stopped|completed|failed)$/.exec(kind)?.[1] ?? [],
    );
    if (new Set(states).size !== states.length) throw new Error(`a state came twice: ${states.join(', ')}`);
  });
}
