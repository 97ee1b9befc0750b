import {
  acquireLease,
  findTrainingRun,
  LeaseLostError,
  listRunProcesses,
  noteRunEvent,
  renewLease,
  StoreTimeoutError,
  transitionRun,
  writeRunProcess,
  type TrainingRun,
} from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { countProcesses } from '../judge/count-processes.ts';
import { explainFailure } from '../judge/explain.ts';
import { awaitOneOfEach, expectCompletion, expectOneOfEach } from '../judge/judge-run.ts';
import { runSideBySide } from '../judge/side-by-side.ts';
import { waitUntil } from '../judge/wait-until.ts';
import { openDatabase, type Dialect } from '../subject/open-database.ts';
import { startSubject, type Subject } from '../subject/start-subject.ts';

const LEASE_SECONDS = 3;
const DIALECTS: readonly Dialect[] = ['SQLite', 'PostgreSQL'];

export const fencingScenario: Scenario = {
  name: 'fencing',
  title: 'a server that slept through its lease: another one has its runs, and what it writes changes nothing',
  async run(context) {
    await runSideBySide(DIALECTS.map((dialect) => () => fence(context, dialect)));
  },
};

async function fence(context: ScenarioContext, dialect: Dialect): Promise<void> {
  const place = {
    home: await context.scratch(),
    databaseUrl: await openDatabase(context, dialect),
    leaseSeconds: LEASE_SECONDS,
  };
  const sleeper = await startSubject(place);
  context.defer(() => sleeper.close());
  const run = await sleeper.startRun();
  const other = await startSubject(place);
  context.defer(() => other.close());
  await explainFailure(context, { story: `fencing, ${dialect}`, subject: other, run }, async () => {
    await awaitOneOfEach(sleeper, run);
    const before = await read(other, run);
    await sleep(2 * LEASE_SECONDS * 1000);
    const held = await read(other, run);
    context.report({
      name: `while its holder lives, ${dialect}`,
      figure: `epoch ${held.epoch}`,
      bar: `stays ${before.epoch}`,
      ok: held.epoch === before.epoch,
    });
    // Either may have it: both look after every run that nobody holds.
    const [holder, heir] = isHeldBy(before, sleeper) ? [sleeper, other] : [other, sleeper];
    const took = await putToSleep(context, { holder, heir, run, epoch: before.epoch });
    const after = await read(heir, run);
    context.report({
      name: `takeover, ${dialect}`,
      figure: `${(took / 1000).toFixed(1)} s, epoch ${after.epoch}`,
      bar: `epoch ${before.epoch + 1} and no other`,
      ok: after.epoch === before.epoch + 1,
    });
    const written = await writeWithOldEpoch(heir, before);
    context.report({
      name: `writes with the old epoch, ${dialect}`,
      figure: `${written.filter((isKept) => isKept).length} of ${written.length} kept`,
      bar: 'none',
      ok: written.every((isKept) => !isKept),
    });
    await expectCompletion(heir, run);
  });
}

const isHeldBy = ({ holder }: TrainingRun, subject: Subject): boolean =>
  holder?.split('/').at(-2) === String(subject.process.pid);

function read(subject: Subject, run: string): Promise<TrainingRun> {
  return subject.withStore(async (store) => {
    const found = await findTrainingRun({ store, tenantId: 'local', shortId: run });
    if (found === undefined) throw new Error('the run is gone');
    return found;
  });
}

/** The holder sleeps until another has the run and a process of it has died: both would start it again. */
async function putToSleep(
  context: ScenarioContext,
  { holder, heir, run, epoch }: { holder: Subject; heir: Subject; run: string; epoch: number },
): Promise<number> {
  context.defer(() => void holder.process.signal('SIGCONT'));
  for (;;) {
    holder.process.signal('SIGSTOP');
    if (await canWrite(heir)) break;
    holder.process.signal('SIGCONT');
    await sleep(100);
  }
  const took = await waitUntil('the other server has the run', 60_000, async () => {
    return (await read(heir, run)).epoch === epoch + 1;
  });
  const [trainer] = countProcesses(run).stations.trainer;
  if (trainer !== undefined) process.kill(trainer, 'SIGKILL');
  await waitUntil('the trainer has died', 30_000, () => !countProcesses(run).stations.trainer.includes(trainer ?? 0));
  holder.process.signal('SIGCONT');
  await awaitOneOfEach(heir, run);
  await sleep(LEASE_SECONDS * 1000);
  await expectOneOfEach(heir, run);
  return took;
}

/** One that is stopped within a write of SQLite keeps everybody from writing, and nobody could take the run: that is no sleep. */
function canWrite(subject: Subject): Promise<boolean> {
  return subject.withStore(async (store) => {
    const probe = { store, tenantId: 'local', kind: 'collection', resource: 'probe', holder: 'probe' } as const;
    return await acquireLease({ ...probe, seconds: 1 }).then(
      () => true,
      (error: unknown) => {
        if (!StoreTimeoutError.isInstance(error)) throw error;
        return false;
      },
    );
  });
}

function writeWithOldEpoch(subject: Subject, { runId, holder, epoch }: TrainingRun): Promise<boolean[]> {
  return subject.withStore(async (store) => {
    const lease = { tenantId: 'local', kind: 'supervision', resource: runId, holder: holder ?? '', epoch } as const;
    const stale = { store, lease };
    const [process_] = await listRunProcesses({ store, tenantId: 'local', runId });
    if (process_ === undefined) throw new Error('the run has no processes');
    const writes = [
      renewLease({ ...stale, seconds: 60 }),
      noteRunEvent({ ...stale, kind: 'forged', data: {} }),
      writeRunProcess({ ...stale, process: { ...process_, pid: 1 } }),
      transitionRun({ ...stale, from: 'running', to: 'stopping', reason: 'forged', outcome: 'failed' }),
    ];
    return await Promise.all(writes.map((write: Promise<unknown>) => write.then(() => true, isNotRefused)));
  });
}

/** Anything but the refusal itself is a failure of the show. */
function isNotRefused(error: unknown): boolean {
  if (!LeaseLostError.isInstance(error)) throw error;
  return false;
}
