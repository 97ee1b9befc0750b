import { describeRounds, findMedian, findQuantile, summarizeLatencies } from '../../../kit/quantiles.ts';
import type { LatencySummary } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { claimProcessor } from '../runs/claim-processor.ts';
import { ourNamespaces, oursForgetful } from '../runs/contenders.ts';
import type { Contender } from '../runs/contenders.ts';
import { measureCommands } from '../runs/measure-commands.ts';
import { measureRollouts } from '../runs/measure-rollouts.ts';
import type { MeasuredRollouts } from '../runs/measure-rollouts.ts';

const BAR_MS = 50;
const ROUNDS = 3;
/** A fault that makes every turn long is seen in the first two. */
const FAULT_COMMANDS = 2;
export const AT_ONCE = 30;
/** A quick model: little more than a second for a turn, with the spread that replies of different length have. */
const THINK_MS = { least: 1_000, most: 1_500 };

/** What a turn costs besides the model and the command. */
export const overheadScenario: Scenario = {
  name: 'overhead',
  title: 'thirty sandboxed rollouts at once add at most 50 ms to a turn in the 99th percentile',
  async run(context) {
    const release = claimProcessor();
    if (release === undefined) context.log('the processor is shared with whatever else runs here');
    else context.defer(release);
    const ownMs = await measureCommands(await context.scratch());
    const overhead = async (
      contender: Contender,
      load: { groups: number; commandCount?: number },
    ): Promise<number[]> => {
      const measured = await measureRollouts({
        ...{ contender, ...load, groupSize: AT_ONCE, cwd: await context.scratch(), timeoutMs: 60_000 },
        thinkMs: () => THINK_MS.least + Math.random() * (THINK_MS.most - THINK_MS.least),
      });
      logSolved(context, measured);
      return measured.turns.map(({ place, gapMs }) => gapMs - (ownMs[place] ?? 0));
    };
    const rounds: LatencySummary[] = [];
    while (rounds.length < ROUNDS) {
      if (release === undefined || context.full) await waitForCalm(context.full);
      rounds.push(summarizeLatencies(await overhead(ourNamespaces, { groups: context.full ? 4 : 1 })));
    }
    const median = (pick: (round: LatencySummary) => number): number => findMedian(rounds.map(pick));
    const p99 = median((round) => round.p99);
    context.report({
      name: 'overhead of a turn',
      figure: `p99 ${p99.toFixed(1)} ms (${describeRounds(rounds.map((round) => round.p99))}; p50 ${median(({ p50 }) => p50).toFixed(1)}, p90 ${median(({ p90 }) => p90).toFixed(1)}, longest ${Math.max(...rounds.map(({ max }) => max)).toFixed(1)}) of ${rounds[0]?.count} turns a round, the making of the sandbox included`,
      bar: `p99 ≤ ${BAR_MS} ms`,
      ok: p99 <= BAR_MS,
    });
    const forgetful = findQuantile(await overhead(oursForgetful, { groups: 1, commandCount: FAULT_COMMANDS }), 0.99);
    context.report({
      name: 'fault: a sandbox for each command',
      figure: `p99 ${forgetful.toFixed(1)} ms, ${forgetful > BAR_MS ? 'caught' : 'not caught'}`,
      bar: `caught (> ${BAR_MS} ms)`,
      ok: forgetful > BAR_MS,
    });
  },
};

function logSolved(
  context: ScenarioContext,
  { rollouts, solved, foreignCores, rolloutsPerSecond }: MeasuredRollouts,
): void {
  context.log(
    `${solved} of ${rollouts} solved, ${rolloutsPerSecond.toFixed(2)} rollouts/s, foreign cores ${foreignCores.toFixed(2)}`,
  );
}
