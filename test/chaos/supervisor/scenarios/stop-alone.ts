import { stopRun } from '../../../../packages/server/src/services/runs/stop-run.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { countProcesses, describeCounted } from '../judge/count-processes.ts';
import { explainFailure } from '../judge/explain.ts';
import { awaitOneOfEach, expectHistory } from '../judge/judge-run.ts';
import { runSideBySide } from '../judge/side-by-side.ts';
import { openDatabase, type Dialect } from '../subject/open-database.ts';
import { startSubject } from '../subject/start-subject.ts';

const MOST_MS = 15_000;

const CASES: readonly { endMs: number; dialect: Dialect }[] = [
  { endMs: 300, dialect: 'SQLite' },
  { endMs: 60_000, dialect: 'SQLite' },
  { endMs: 300, dialect: 'PostgreSQL' },
];

export const stopAloneScenario: Scenario = {
  name: 'stop-alone',
  title: 'stop while the supervisor is dead: nothing runs after 15 seconds, also when nothing listens to reason',
  async run(context) {
    await runSideBySide(CASES.map((each) => () => stopAlone(context, each)));
  },
};

async function stopAlone(context: ScenarioContext, { endMs, dialect }: (typeof CASES)[number]): Promise<void> {
  const home = await context.scratch();
  const databaseUrl = await openDatabase(context, dialect);
  const subject = await startSubject({ home, databaseUrl, endMs, readyMs: 200 });
  context.defer(() => subject.close());
  const run = await subject.startRun();
  const name = `${endMs > MOST_MS ? 'processes that do not end' : 'processes that end'}, ${dialect}`;
  await explainFailure(context, { story: name, subject, run }, async () => {
    await awaitOneOfEach(subject, run);
    await subject.kill();
    const start = performance.now();
    const ended = await stopRun({ home, databaseUrl, shortId: run });
    const took = performance.now() - start;
    const left = countProcesses(run);
    await expectHistory(subject, run);
    context.report({
      name,
      figure: `${ended?.state} after ${(took / 1000).toFixed(1)} s, ${describeCounted(left)}`,
      bar: 'stopped, none left, ≤ 15 s',
      ok: ended?.state === 'stopped' && left.all.length === 0 && took <= MOST_MS,
      onlyByClock: ended?.state === 'stopped' && left.all.length === 0,
    });
  });
}
