import type { RunState } from '@lachesis/protocol';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { countProcesses, ROLES, type Role } from '../judge/count-processes.ts';
import { explainFailure } from '../judge/explain.ts';
import { awaitOneOfEach, expectCompletion, expectEnd, expectOneOfEach, expectTakeover } from '../judge/judge-run.ts';
import { runSideBySide } from '../judge/side-by-side.ts';
import { waitUntil } from '../judge/wait-until.ts';
import { openDatabase, type Dialect } from '../subject/open-database.ts';
import { startSubject, type Subject } from '../subject/start-subject.ts';

const STATES = ['pending', 'starting', 'running', 'stopping'] as const;
const BAR = 'one of each, none left, history whole';

interface Strike {
  state: (typeof STATES)[number];
  dialect: Dialect;
  round: number;
}

export const serverKillScenario: Scenario = {
  name: 'server-kills',
  title: 'kill -9 of the control server in every state of a run: one of each process afterwards, and the run ends well',
  async run(context) {
    const rounds = context.full ? 20 : 2;
    const strikes = STATES.flatMap((state): Strike[] => [
      ...repeat(rounds, (round): Strike => ({ state, dialect: 'SQLite', round })),
      ...repeat(context.full ? rounds : state === 'running' ? 1 : 0, (round): Strike => ({
        state,
        dialect: 'PostgreSQL',
        round,
      })),
    ]);
    const times = await runSideBySide(strikes.map((each) => () => strike(context, each)));
    for (const [name, took] of Map.groupBy(times, ({ state, dialect }) => `killed while ${state}, ${dialect}`)) {
      const slowest = Math.max(...took.map(({ ms }) => ms)) / 1000;
      context.report({
        name,
        figure: `${took.length} of ${took.length} runs ended well, slowest recovery ${slowest.toFixed(1)} s`,
        bar: BAR,
        ok: true,
      });
    }
  },
};

const repeat = <T>(times: number, make: (round: number) => T): T[] =>
  Array.from({ length: times }, (_, index) => make(index + 1));

async function strike(context: ScenarioContext, given: Strike): Promise<Strike & { ms: number }> {
  const { state, dialect, round } = given;
  const subject = await startSubject({
    home: await context.scratch(),
    databaseUrl: await openDatabase(context, dialect),
    endMs: state === 'stopping' ? 1_200 : 300,
    isGated: state === 'starting',
    supervisor: state === 'pending' ? 'absent' : 'real',
  });
  context.defer(() => subject.close());
  const run = await subject.startRun();
  const story = `round ${round}, killed while ${state}, ${dialect}`;
  return await explainFailure(context, { story, subject, run }, async () => {
    await reach(subject, run, given);
    const before = countProcesses(run);
    await subject.kill();
    await subject.restart({ supervisor: 'real' });
    const ms = await judge(subject, run, state);
    if (state === 'running') expectSame(before, countProcesses(run));
    if (state !== 'stopping') await expectCompletion(subject, run);
    await subject.close();
    context.log(`${story}: ended well`);
    return { ...given, ms };
  });
}

/** Brings a run to where the blow falls; a state that passes is held, so that a slow machine does not miss it. */
async function reach(subject: Subject, run: string, { state, round }: Strike): Promise<void> {
  if (state === 'stopping') {
    await awaitOneOfEach(subject, run);
    await subject.stopRun(run);
  }
  await waitUntil(`the run is ${state}`, 60_000, async () => (await subject.look(run)).status === state);
  if (state !== 'starting') return;
  // In the middle of a start rather than before it: of the API, of the trainer, and anywhere between.
  const role = round % 2 === 1 ? 'api' : 'trainer';
  await waitUntil(`the ${role} was started`, 60_000, () => countProcesses(run).stations[role].length > 0);
  await sleep(((round - 1) * 97) % 600);
}

async function judge(subject: Subject, run: string, state: RunState): Promise<number> {
  const start = performance.now();
  await expectTakeover(subject, run, state === 'pending' ? 1 : 2);
  if (state === 'starting') await writeFile(join(subject.home, 'runs', run, 'go'), '');
  if (state !== 'stopping') return performance.now() - start + (await expectOneOfEach(subject, run));
  await expectEnd(subject, run, 'stopped');
  return performance.now() - start;
}

/** What lived through the death of the server goes on: nothing is started in its place. */
function expectSame(before: ReturnType<typeof countProcesses>, after: ReturnType<typeof countProcesses>): void {
  const [was, is] = [JSON.stringify(before.stations), JSON.stringify(after.stations)];
  if (was !== is) throw new Error(`living processes were replaced: ${was} became ${is}`);
}

export const childKillScenario: Scenario = {
  name: 'child-kills',
  title: 'kill -9 of each process of a run: it is started again, once, and the run completes',
  async run(context) {
    const subject = await startSubject({ home: await context.scratch(), readyMs: 200 });
    context.defer(() => subject.close());
    const rounds = context.full ? 20 : 2;
    const blows = ROLES.flatMap((role) => repeat(rounds, () => role));
    const times = await runSideBySide(
      blows.map((role) => () => strikeChild(context, subject, role)),
      6,
    );
    for (const role of ROLES) {
      const slowest = Math.max(...times.filter((time) => time.role === role).map(({ ms }) => ms)) / 1000;
      context.report({
        name: `${role} killed`,
        figure: `${rounds} of ${rounds} runs completed, slowest restart ${slowest.toFixed(1)} s`,
        bar: BAR,
        ok: true,
      });
    }
  },
};

async function strikeChild(
  context: ScenarioContext,
  subject: Subject,
  role: Role,
): Promise<{ role: Role; ms: number }> {
  const run = await subject.startRun();
  return await explainFailure(context, { story: `${role} killed`, subject, run }, async () => {
    await awaitOneOfEach(subject, run);
    const [pid] = countProcesses(run).stations[role];
    if (pid === undefined) throw new Error(`there is no ${role} to kill`);
    process.kill(pid, 'SIGKILL');
    const ms = await waitUntil(`another ${role} runs`, 30_000, async () => {
      const { process_details: processes } = await subject.look(run);
      const found = processes.find((process) => process.role === role);
      return found?.state === 'running' && found.pid !== pid && found.restarts === 1;
    });
    await expectOneOfEach(subject, run);
    await expectCompletion(subject, run);
    return { role, ms };
  });
}
