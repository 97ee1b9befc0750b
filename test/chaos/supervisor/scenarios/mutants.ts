import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { awaitOneOfEach, expectCompletion, expectEnd, expectOneOfEach, expectTakeover } from '../judge/judge-run.ts';
import { runSideBySide } from '../judge/side-by-side.ts';
import { killStarter } from './train-alone.ts';
import { startSubject, type Subject } from '../subject/start-subject.ts';

/** A healthy server needs a fifth of it. */
const PATIENCE_MS = 10_000;
const DEAF = new URL('../subject/deaf-process.ts', import.meta.url).href;

export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'a supervisor that adopts nothing, one that ends nothing, and stations that outlive a training are found out',
  async run(context) {
    await runSideBySide([
      () =>
        catchFault(context, 'adopts nothing', 'blind', async (subject, run) => {
          await subject.kill();
          await subject.restart({ supervisor: 'blind' });
          await expectTakeover(subject, run, 2);
          await expectOneOfEach(subject, run);
          // Whoever is missed by a look is there at the end.
          await expectCompletion(subject, run);
        }),
      () =>
        catchFault(context, 'ends nothing', 'real', async (subject, run) => {
          await subject.kill();
          await subject.restart({ supervisor: 'meek' });
          await subject.stopRun(run);
          await expectEnd(subject, run, 'stopped');
        }),
      async () => {
        const { ms, count } = await killStarter(context, { preload: DEAF, patienceMs: PATIENCE_MS });
        const name = 'stations that do not notice the end of their training';
        context.report({ name, figure: `${count} left`, bar: 'is found out', ok: ms === undefined });
      },
    ]);
  },
};

async function catchFault(
  context: ScenarioContext,
  name: string,
  supervisor: 'blind' | 'real',
  judge: (subject: Subject, run: string) => Promise<void>,
): Promise<void> {
  const subject = await startSubject({ home: await context.scratch(), readyMs: 200, supervisor });
  context.defer(() => subject.close());
  const run = await subject.startRun();
  await awaitOneOfEach(subject, run);
  const fault = await judge(subject, run).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  await subject.close();
  context.report({ name, figure: fault ?? 'passed', bar: 'is found out', ok: fault !== undefined });
}
