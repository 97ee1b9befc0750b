import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { MUTANTS } from './parts.ts';
import { runSeeds } from './run-seeds.ts';
import { simulate } from './simulate.ts';

const SEEDS = 10_000;
const SEEDS_FULL = 200_000;
/** A mutant that survives longer would survive a careless reader too. */
const MUTANT_SEEDS = 200;
const REPLAYS = 20;

const seeds: Scenario = {
  name: 'seeds',
  title: 'Queue, leases, receipts and packing keep their promises in every simulated history; SEED=n replays one.',
  async run(context) {
    const wanted = process.env['SEED'];
    if (wanted !== undefined) return replay(context, Number(wanted));
    const count = context.full ? SEEDS_FULL : SEEDS;
    const startedAt = performance.now();
    let said = 0;
    const result = await runSeeds({
      count,
      defer: (cleanup) => context.defer(cleanup),
      onProgress: ({ histories }) => {
        if (performance.now() - said < 10_000) return;
        said = performance.now();
        context.log(`${histories.toLocaleString('en')} of ${count.toLocaleString('en')} histories`);
      },
    });
    for (const { seed, violation } of result.failures) {
      context.log(`seed ${seed}: ${violation}; replay it with SEED=${seed} pnpm chaos simulation/seeds`);
    }
    const number = (value: number): string => value.toLocaleString('en');
    const [first] = result.failures;
    const found = first === undefined ? '0 violations' : `violation at SEED=${first.seed}: ${first.violation}`;
    const seconds = (performance.now() - startedAt) / 1000;
    context.report({
      name: 'simulated histories',
      figure:
        `${number(result.histories)} seeds, ${number(result.commits)} commits, ${number(result.kills)} kills, ` +
        `${number(result.acknowledged)} pushes acknowledged, ${number(result.trained)} groups trained or delivered, ${found}, ${seconds.toFixed(0)} s`,
      bar: `${number(count)} seeds, 0 violations`,
      ok: result.histories === count && first === undefined && result.trained > count,
    });
  },
};

async function replay(context: ScenarioContext, seed: number): Promise<void> {
  const { violation, steps } = await simulate(seed);
  context.report({
    name: `seed ${seed}`,
    figure: violation === null ? `${steps} steps, no violation` : `step ${steps}: ${violation}`,
    bar: 'no violation',
    ok: violation === null,
  });
}

const replays: Scenario = {
  name: 'replays',
  title: 'A seed is a whole history: run again, it gives the same one.',
  async run(context) {
    let equal = 0;
    for (let seed = 1; seed <= REPLAYS; seed++) {
      const [first, second] = [await simulate(seed), await simulate(seed)];
      if (JSON.stringify(first) === JSON.stringify(second)) equal += 1;
    }
    context.report({
      name: 'replayed histories',
      figure: `${equal} of ${REPLAYS} the same`,
      bar: 'all',
      ok: equal === REPLAYS,
    });
  },
};

const mutants: Scenario = {
  name: 'mutants',
  title: 'The same histories notice when a promise is broken on purpose.',
  async run(context) {
    for (const mutant of Object.keys(MUTANTS)) {
      const { failures } = await runSeeds({ count: MUTANT_SEEDS, mutant, defer: (cleanup) => context.defer(cleanup) });
      const [first] = failures;
      context.report({
        name: `mutant ${mutant}`,
        figure:
          first === undefined ? `survived ${MUTANT_SEEDS} seeds` : `caught at seed ${first.seed}: ${first.violation}`,
        bar: `caught within ${MUTANT_SEEDS} seeds`,
        ok: first !== undefined,
      });
    }
  },
};

export const scenarios: readonly Scenario[] = [seeds, replays, mutants];
