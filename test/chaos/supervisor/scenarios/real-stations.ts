import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { countProcesses, ROLES } from '../judge/count-processes.ts';
import { explainFailure } from '../judge/explain.ts';
import { awaitOneOfEach, expectEnd, expectOneOfEach, expectTakeover } from '../judge/judge-run.ts';
import { waitUntil } from '../judge/wait-until.ts';
import { startRealSubject } from '../subject/start-real-subject.ts';

/** Enough that the run outlasts four blows. */
const STEPS = 30;
/** The check before a run loads a tokenizer and rolls out once. */
const START_MS = 180_000;
const END_MS = 420_000;

export const realStationScenario: Scenario = {
  name: 'real-stations',
  title: 'a run on a real engine: kill -9 of each of its processes and of the server, and it completes (with --full)',
  async run(context) {
    if (!context.full) {
      context.reportNotRun({ name: 'real stations', why: 'it takes minutes; run with --full', bar: 'completes' });
      return;
    }
    const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
    context.defer(() => engine.stop());
    const home = await context.scratch();
    const subject = await startRealSubject({ home, engineUrl: engine.url, steps: STEPS });
    context.defer(() => subject.close());
    const run = await subject.startRun();
    await explainFailure(context, { story: 'a run on a real engine', subject, run }, async () => {
      await awaitOneOfEach(subject, run, START_MS);
      for (const role of ROLES) {
        const [pid] = countProcesses(run).stations[role];
        if (pid === undefined) throw new Error(`there is no ${role} to kill`);
        process.kill(pid, 'SIGKILL');
        await waitUntil(`another ${role} runs`, 60_000, async () => {
          const found = (await subject.look(run)).process_details.find((process) => process.role === role);
          return found?.state === 'running' && found.pid !== pid && found.restarts === 1;
        });
        await expectOneOfEach(subject, run);
      }
      await subject.kill();
      await subject.restart();
      await expectTakeover(subject, run, 2);
      await expectOneOfEach(subject, run);
      await expectEnd(subject, run, 'completed', END_MS);
    });
    const { step } = (await subject.look(run)).metrics;
    context.report({
      name: 'each process and the server killed once',
      figure: `completed at step ${step}, ${countProcesses(run).all.length} processes left`,
      bar: `step ${STEPS}, none left, history whole`,
      ok: step === STEPS,
    });
  },
};
