import { combineGrid, type SweepPlan } from '../../../packages/cli/src/commands/sweeps/plan-sweep.ts';
import { runSweep, type RunOrder, type SweepWorld } from '../../../packages/cli/src/commands/sweeps/run-sweep.ts';
import { printSweep } from '../../../packages/cli/src/commands/sweeps/summarise-sweep.ts';
import type { SweepLine } from '../../../packages/cli/src/commands/sweeps/sweep-files.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import type { Lachesis } from '../first-run/lachesis.ts';
import { killSweep, openPlace, TRAIN } from './type-sweep.ts';

const GRID = ['--grid', 'tinker.learning_rate=1e-4,2e-2', '--seeds', '1', '--metric', 'eval/reward'];
/** Eight runs, two at once, on a machine that may be busy. */
const HALVING_MS = 900_000;

/** `pnpm e2e sweep`: runs side by side, killed, gone on with, in one table. */
export const scenarios: Scenario[] = [
  {
    name: 'killed',
    title: 'a sweep that is killed twice ends with the table of one that nobody touched',
    async run(context) {
      const lachesis = await openPlace(context);
      const whole = tableOf((await lachesis.type([...TRAIN, ...GRID, '--sweep', 'whole'])).out);
      context.log(whole);
      // Once in the middle of the first runs, and once more when the second attempt has begun.
      const args = [...TRAIN, ...GRID, '--sweep', 'killed'];
      for (const killAt of [2, 1]) await killSweep(context, lachesis, { args, killAt });
      const killed = tableOf((await lachesis.type(['train', '--sweep', 'killed'])).out);
      context.log(killed);
      const rows = killed.trim().split('\n').length - 1;
      context.report({
        name: 'table',
        figure: killed === whole ? `the same, ${rows} settings` : 'another',
        bar: 'the same, 2 settings',
        ok: killed === whole && rows === 2 && !killed.includes('–') && !killed.includes('not over'),
      });
      const values = [...killed.matchAll(/ (\d\.\d{4})/g)].map(([, value]) => value);
      context.report({
        name: 'values',
        figure: [...new Set(values)].join(', '),
        bar: 'the rates differ',
        ok: new Set(values).size > 1,
      });
      await reportRegistry(context, lachesis);
    },
  },
  {
    name: 'halving',
    title: 'of four rates over two seeds the better half goes on, twice',
    async run(context) {
      if (!context.full) {
        const why = 'eight runs on the engine, of which four go on: --full';
        context.reportNotRun({ name: 'halving', why, bar: '4, 2, 1 settings at steps 1, 2, 4' });
        return;
      }
      const lachesis = await openPlace(context);
      const grid = ['--grid', 'tinker.learning_rate=1e-5,1e-4,1e-3,2e-2', '--seeds', '2', '--halving'];
      const args = [...TRAIN, ...grid, '--env.total_steps', '4', '--sweep', 'half', '--json'];
      const { out } = await lachesis.type(args, { mostMs: HALVING_MS });
      const { points } = JSON.parse(out) as { points: { steps: number; is_dropped: boolean }[] };
      const steps = points
        .map((point) => point.steps)
        .toSorted((left, right) => left - right)
        .join(', ');
      context.report({
        name: 'halving',
        figure: `steps ${steps}`,
        bar: 'steps 1, 1, 2, 4',
        ok: steps === '1, 1, 2, 4',
      });
    },
  },
  {
    name: 'mutants',
    title: 'sweeps that take a part for the whole are caught',
    async run(context) {
      const plan = makePlan();
      const whole = await sweepKilled(plan, (world) => world, []);
      const real = await sweepKilled(plan, (world) => world, [7, 16]);
      context.report({
        name: 'control',
        figure: real === whole ? 'the same' : 'another',
        bar: 'the same',
        ok: real === whole,
      });
      for (const [name, mutate] of Object.entries(MUTANTS)) {
        const table = await sweepKilled(plan, mutate, [7, 16]);
        context.report({
          name,
          figure: table === whole ? 'the same table' : 'another table',
          bar: 'caught: another table',
          ok: table !== whole,
        });
      }
    },
  },
];

/** The table of what was printed, without the chart below it. */
const tableOf = (out: string): string => out.split('\n\n', 1)[0] ?? '';

async function reportRegistry(context: ScenarioContext, lachesis: Lachesis): Promise<void> {
  const { out: shown } = await lachesis.type(['sweeps', 'show', 'killed']);
  const { out: listed } = await lachesis.type(['sweeps', 'list']);
  const { runs } = await lachesis.json<{ runs: { run_id: string }[] }>(['runs', 'list']);
  const own = runs.filter(({ run_id: id }) => id.startsWith('killed-')).length;
  context.report({
    name: 'registry',
    figure: `${listed.trim().split('\n').length} sweeps, ${own} runs of the killed one, chart ${shown.includes('└') ? 'drawn' : 'missing'}`,
    bar: '2 sweeps, at least 2 runs, chart drawn',
    ok: listed.trim().split('\n').length === 2 && own >= 2 && shown.includes('└') && shown.includes('2e-2'),
  });
}

const makePlan = (): SweepPlan => ({
  ...{ sweep: 's', created_at: 0, folder: '/', arguments: [], metric: 'eval/mean_reward', parallel: 2 },
  ...{ seeds: [1, 2], rungs: [4, 8], points: combineGrid({ rate: ['1', '2', '3', '4'] }) },
});

type Mutate = (world: SweepWorld) => SweepWorld;

const MUTANTS: Readonly<Record<string, Mutate>> = {
  'ended when begun': (world) => ({
    ...world,
    append: (line) => world.append(line.state === 'started' ? { ...line, state: 'ended' } : line),
  }),
  'half of a run for the whole': (world) => ({
    ...world,
    train: async (order) => {
      await world.train(order);
      return true;
    },
  }),
  'judged before all have ended': (world) => ({
    ...world,
    readLines: async () => (await world.readLines()).map((line) => ({ ...line, state: 'ended' as const })),
  }),
};

/** Runs a sweep whose runs are a formula of rate, seed and the steps they really made, killed at these touches. */
async function sweepKilled(plan: SweepPlan, mutate: Mutate, kills: readonly number[]): Promise<string> {
  const lines: SweepLine[] = [];
  const made = new Map<string, { order: RunOrder; steps: number }>();
  for (const lastTouch of [...kills, Number.POSITIVE_INFINITY]) {
    let touches = 0;
    const stopping = new AbortController();
    const touch = (): void => {
      touches += 1;
      // Killed between two runs; in the middle of one it is stopped in order, and could still write.
      if (touches > lastTouch && !stopping.signal.aborted) throw new Error('killed');
    };
    const world = mutate({
      readLines: async () => {
        touch();
        return [...lines];
      },
      append: async (line) => {
        touch();
        lines.push(line);
      },
      train: async (order) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        touches += 1;
        const wanted = order.steps ?? plan.rungs.at(-1) ?? 0;
        const isStopped = touches > lastTouch;
        if (isStopped) stopping.abort();
        made.set(order.run, { order, steps: isStopped ? wanted / 2 : wanted });
        return !isStopped;
      },
      readValue: async (run) => {
        const { order, steps } = made.get(run) ?? {};
        return order === undefined ? undefined : Number(order.settings['rate']) + order.seed / 10 + (steps ?? 0) / 100;
      },
      say: () => undefined,
    });
    await runSweep({ plan, world, resumesRuns: false, signal: stopping.signal }).catch(() => undefined);
  }
  return printSweep(plan, lines);
}
