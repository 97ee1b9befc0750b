import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { awaitOneOfEach, expectCompletion, expectEnd, expectOneOfEach, expectTakeover } from '../judge/judge-run.ts';
import { runSideBySide } from '../judge/side-by-side.ts';
import { killStarter } from './train-alone.ts';
import { startSubject, type Subject } from '../subject/start-subject.ts';

interface Fault {
  readonly name: string;
  /** The supervisor of the first server and of the one that takes over. */
  readonly supervisors: readonly ['blind' | 'real', 'blind' | 'meek'];
  /** What must be found; another error would say nothing about the fault. */
  readonly finding: RegExp;
  readonly judge: (subject: Subject, run: string) => Promise<void>;
}

const ADOPTS_NOTHING: Fault = {
  name: 'adopts nothing',
  supervisors: ['blind', 'blind'],
  finding: /\b(?:[2-9]\/\d\/\d|\d\/[2-9]\/\d|\d\/\d\/[2-9]) stations/,
  judge: async (subject, run) => {
    await expectTakeover(subject, run, 2);
    await expectOneOfEach(subject, run);
    // Whoever is missed by a look is there at the end.
    await expectCompletion(subject, run);
  },
};

const ENDS_NOTHING: Fault = {
  name: 'ends nothing',
  supervisors: ['real', 'meek'],
  finding: /^the run is stopped, and there are \d/,
  judge: async (subject, run) => {
    await subject.stopRun(run);
    await expectEnd(subject, run, 'stopped');
  },
};

/** A healthy server needs a fifth of it. */
const PATIENCE_MS = 10_000;
const DEAF = new URL('../subject/deaf-process.ts', import.meta.url).href;

export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'a supervisor that adopts nothing, one that ends nothing, and stations that outlive a training are found out',
  async run(context) {
    await runSideBySide([
      () => catchFault(context, ADOPTS_NOTHING),
      () => catchFault(context, ENDS_NOTHING),
      async () => {
        const { ms, count } = await killStarter(context, { preload: DEAF, patienceMs: PATIENCE_MS });
        const name = 'stations that do not notice the end of their training';
        context.report({ name, figure: `${count} left`, bar: 'is found out', ok: ms === undefined });
      },
    ]);
  },
};

/** The judge finds the fault by its name, and finds nothing where the supervisor is the real one. */
async function catchFault(context: ScenarioContext, { name, supervisors, finding, judge }: Fault): Promise<void> {
  const find = async ([first, next]: readonly ['blind' | 'real', 'blind' | 'meek' | 'real']): Promise<string> => {
    const subject = await startSubject({ home: await context.scratch(), readyMs: 200, supervisor: first });
    context.defer(() => subject.close());
    const run = await subject.startRun();
    await awaitOneOfEach(subject, run);
    await subject.kill();
    await subject.restart({ supervisor: next });
    const found = await judge(subject, run).then(
      () => 'nothing',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    await subject.close();
    return found;
  };
  const [fault, control] = await Promise.all([find(supervisors), find(['real', 'real'])]);
  context.report({
    name,
    figure: `${fault}; with the real one ${control}`,
    bar: `found by its name, and nothing with the real one`,
    ok: finding.test(fault) && control === 'nothing',
  });
}
