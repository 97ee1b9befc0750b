import { startTuft } from '../../../peers/tuft/start-tuft.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { createRandom } from '../../simulation/random.ts';
import { runLine } from '../reattach/run-line.ts';
import type { LineReport, Moment } from '../reattach/run-line.ts';
import { readSeed } from './read-seed.ts';

/** Of each of two programs that run side by side: most of the time goes into starting them again. */
const KILLS = { short: 5, full: 25 } as const;
const MOMENTS: readonly Moment[] = ['after', 'passed', 'poll', 'before', 'after'];

export const killScenario: Scenario = {
  name: 'kills',
  title:
    'kill -9 of a training program in the middle of an operation: the next life collects what is pending and sends nothing twice',
  async run(context) {
    const tuft = await startTuft();
    context.defer(async () => tuft[Symbol.asyncDispose]());
    const each = context.full ? KILLS.full : KILLS.short;
    const lines = await Promise.all(
      [0, 1].map((line) => {
        const moments = Array.from({ length: each }, (_, kill) => MOMENTS[(kill + line) % MOMENTS.length] ?? 'after');
        return runLine(context, { tuft, moments, random: createRandom(readSeed() + line) });
      }),
    );
    const sum = (count: (line: LineReport) => number): number => lines.reduce((all, line) => all + count(line), 0);
    const kills = 2 * each;
    const isWhole = lines.every(isCarriedOutOnce);
    const [total, sentTwice] = [sum((line) => line.total), sum((line) => line.sentTwice)];
    context.report({
      name: 'kills of the client',
      figure: `${kills} kills, ${sum(({ carriedOut }) => carriedOut.length)} of ${total} operations carried out${isWhole ? ', each once and in order' : ''}, ${sentTwice} sent twice`,
      bar: 'all, each once and in order, 0 sent twice',
      ok: isWhole && sentTwice === 0,
    });
    const [collected, pending, unwritten] = [
      sum((line) => line.collected),
      sum((line) => line.pending),
      sum((line) => line.unwritten),
    ];
    context.report({
      name: 'results after kills',
      figure: `${collected} collected by a later life, ${pending} left pending, ${unwritten} never answered`,
      // A request that arrived and was never answered is in no journal: its effect is there, its result is not.
      bar: `≥ 1 collected, 0 pending, ≤ ${kills} never answered`,
      ok: collected > 0 && pending === 0 && unwritten <= kills,
    });
  },
};

const isCarriedOutOnce = ({ total, carriedOut }: LineReport): boolean =>
  carriedOut.length === total && carriedOut.every((mark, index) => mark === index + 1);
