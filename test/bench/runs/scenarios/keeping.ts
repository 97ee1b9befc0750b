import { join } from 'node:path';
import { makeTrainedRun } from '../../../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import { openSinks } from '../../../../packages/server/src/services/training/sinks/open-sinks.ts';
import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { createDelayedEngine } from '../delayed-engine.ts';
import { createGroups, LONG, TOY, type Workload } from '../workload.ts';

/** The first steps load code and open connections. */
const SKIPPED = 2;

interface Turn {
  /** Of a step, over all that count. */
  readonly stepMs: number;
  readonly cpuMs: number;
}

/** The loop with rollouts, conversations and series kept, and without any of them, in turns. */
export const keepingScenario: Scenario = {
  name: 'keeping',
  title: 'keeping rollouts and all series costs 5 % of the time of the toy, and 1 % at 128 × 8k',
  async run(context) {
    const home = await context.scratch();
    const rounds = context.full ? 5 : 2;
    await compare(context, { home, workload: TOY, rounds, steps: context.full ? 32 : 12, most: 0.05 });
    await compare(context, {
      home,
      workload: LONG,
      rounds: context.full ? 3 : 1,
      steps: context.full ? 14 : 6,
      most: 0.01,
    });
  },
};

async function compare(
  context: ScenarioContext,
  options: { home: string; workload: Workload; rounds: number; steps: number; most: number },
): Promise<void> {
  const { workload, rounds, most } = options;
  const ratios: number[] = [];
  const turns: { bare: Turn; kept: Turn }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await waitForCalm(context.full);
    // Who comes second finds code compiled and files cached: the order changes.
    const first = await measure(options, round % 2 === 0, `${round}-a`);
    const second = await measure(options, round % 2 !== 0, `${round}-b`);
    const [kept, bare] = round % 2 === 0 ? [first, second] : [second, first];
    turns.push({ bare, kept });
    ratios.push(kept.stepMs / bare.stepMs - 1);
    context.log(
      `${workload.name}: ${kept.stepMs.toFixed(1)} against ${bare.stepMs.toFixed(1)} ms a step, ` +
        `CPU ${kept.cpuMs.toFixed(0)} against ${bare.cpuMs.toFixed(0)} ms`,
    );
  }
  const median = (pick: (turn: (typeof turns)[number]) => number): number => findMedian(turns.map(pick));
  const share = findMedian(ratios);
  context.report({
    name: `keeping rollouts and series, ${workload.name}`,
    figure:
      `${(share * 100).toFixed(2)} % (${describeRounds(
        ratios.map((ratio) => ratio * 100),
        2,
      )}): ${median(({ kept }) => kept.stepMs).toFixed(1)} against ` +
      `${median(({ bare }) => bare.stepMs).toFixed(1)} ms a step; CPU ${median(({ kept }) => kept.cpuMs).toFixed(0)} against ` +
      `${median(({ bare }) => bare.cpuMs).toFixed(0)} ms`,
    bar: `≤ ${most * 100} %`,
    ok: share <= most,
  });
}

async function measure(
  options: { home: string; workload: Workload; steps: number },
  isKept: boolean,
  name: string,
): Promise<Turn> {
  const { home, workload, steps } = options;
  const run = `${workload.groups}-${name}-${isKept ? 'kept' : 'bare'}`;
  const ends: { at: number; cpuMs: number }[] = [];
  await makeTrainedRun({
    ...{ home, run, steps, isReported: isKept },
    groupsOf: createGroups(workload, { hasMessages: isKept }),
    tinker: { mode: 'async', logprobs_interval: workload.logprobsInterval },
    openEngine: (journal) => createDelayedEngine(journal, workload.delays),
    ...(isKept
      ? {
          openSink: async (scope) =>
            (await openSinks({ ...scope, directory: join(home, run), wandb: undefined, useTensorboard: true })).all,
        }
      : {}),
    onStep: () => {
      const { user, system } = process.cpuUsage();
      ends.push({ at: performance.now(), cpuMs: (user + system) / 1_000 });
    },
  });
  const counted = ends.slice(SKIPPED - 1);
  const [first, last] = [counted[0]!, counted.at(-1)!];
  const made = counted.length - 1;
  return { stepMs: (last.at - first.at) / made, cpuMs: (last.cpuMs - first.cpuMs) / made };
}
