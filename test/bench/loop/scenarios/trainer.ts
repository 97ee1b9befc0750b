import { countForeignCores, sampleMachine } from '../../../kit/machine-noise.ts';
import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { findTinyModel } from '../find-tiny-model.ts';
import type { StepTimes } from '../trainers/measure-steps.ts';
import { runOurs, runTheirs } from '../trainers/run-trainers.ts';
import { RECIPE, TOY } from '../trainers/workload.ts';
import type { Workload } from '../trainers/workload.ts';

const MOST_OF_THEIRS = 1 / 5;

interface Side {
  /** Medians over the steps of a run, in milliseconds. */
  readonly overheadMs: number;
  readonly periodMs: number;
  readonly foreignCores: number;
}

interface Round {
  readonly theirs: Side;
  readonly ours: Side;
}

/** What a step costs beside the engine's own work, in our trainer and in one made of the official client and atroposlib. */
export const trainerScenario: Scenario = {
  name: 'trainer',
  title: 'a step costs a fifth of what it costs in Python, the work of the engine left out',
  async run(context) {
    const [scratch, tokenizer] = [await context.scratch(), await findTinyModel()];
    const measure = async (name: string, run: () => Promise<readonly StepTimes[]>): Promise<Side> => {
      await waitForCalm(context.full);
      const before = sampleMachine([process.pid]);
      const steps = await run();
      const foreignCores = countForeignCores(before, sampleMachine([process.pid]));
      const median = (pick: (step: StepTimes) => number): number => findMedian(steps.map(pick));
      const side = {
        overheadMs: median(({ overheadMs }) => overheadMs),
        periodMs: median(({ periodMs }) => periodMs),
        foreignCores,
      };
      context.log(
        `${name}: ${side.overheadMs.toFixed(1)} of ${side.periodMs.toFixed(0)} ms; ` +
          `steps ${steps.map(({ overheadMs }) => overheadMs.toFixed(0)).join(', ')}; foreign cores ${foreignCores.toFixed(2)}`,
      );
      return side;
    };
    const rounds = context.full ? 3 : 1;
    for (const workload of [TOY, RECIPE]) {
      const options = { workload, scratch, tokenizer, steps: context.full ? 16 : 6 };
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        measured.push({
          theirs: await measure(`${workload.name}, Python`, () => runTheirs({ ...options, api: 'original' })),
          ours: await measure(`${workload.name}, ours`, () => runOurs({ ...options, mode: 'async' })),
        });
      }
      reportOverhead(context, workload, measured);
      if (!context.full) continue;
      const theirs = findMedian(measured.map((round) => round.theirs.overheadMs));
      const mixed = await measure(`${workload.name}, Python on our trajectory API`, () =>
        runTheirs({ ...options, api: 'ours' }),
      );
      const sync = await measure(`${workload.name}, ours one step after another`, () =>
        runOurs({ ...options, mode: 'sync' }),
      );
      context.report({
        name: `${workload.name}: the Python trainer on our trajectory API, and ours with mode sync`,
        figure: `${mixed.overheadMs.toFixed(0)} and ${sync.overheadMs.toFixed(0)} ms a step`,
        bar: 'for comparison',
        ok: true,
      });
      if (workload !== TOY) continue;
      const isCaught = sync.overheadMs > theirs * MOST_OF_THEIRS;
      context.report({
        name: 'trainer mutant: steps are not prepared ahead',
        figure: isCaught ? `caught, ${sync.overheadMs.toFixed(0)} ms` : 'not noticed',
        bar: 'caught',
        ok: isCaught,
      });
    }
  },
};

function reportOverhead(context: ScenarioContext, workload: Workload, rounds: readonly Round[]): void {
  const median = (pick: (round: Round) => number): number => findMedian(rounds.map(pick));
  const share = median(({ theirs, ours }) => ours.overheadMs / theirs.overheadMs);
  const parts = rounds.map(({ theirs, ours }) => theirs.overheadMs / ours.overheadMs);
  const { groups, groupSize, promptTokens, replyTokens } = workload;
  context.report({
    name: `overhead of a step, ${workload.name} (${groups * groupSize} × ${promptTokens + replyTokens} tokens)`,
    figure:
      `1/${(1 / share).toFixed(1)} (one part of: ${describeRounds(parts)}): ${median(({ ours }) => ours.overheadMs).toFixed(1)} against ` +
      `${median(({ theirs }) => theirs.overheadMs).toFixed(1)} ms; foreign cores ` +
      `${median(({ ours }) => ours.foreignCores).toFixed(2)} and ${median(({ theirs }) => theirs.foreignCores).toFixed(2)}`,
    bar: '≤ 1/5',
    ok: share <= MOST_OF_THEIRS,
  });
}
