import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { claimProcessor } from '../runs/claim-processor.ts';
import { ourNamespaces, oursWithoutWall, theirSubprocess, theirThreads } from '../runs/contenders.ts';
import type { Contender } from '../runs/contenders.ts';
import { measureRollouts } from '../runs/measure-rollouts.ts';
import type { MeasuredRollouts } from '../runs/measure-rollouts.ts';
import { AT_ONCE } from './overhead.ts';

const MIN_RATIO = 1;
/** So quick that what is around the model is most of what is measured. */
const THINK_MS = { least: 50, most: 150 };

const CONTENDERS = { ourNamespaces, oursWithoutWall, theirSubprocess, theirThreads } satisfies Record<
  string,
  Contender
>;
type Name = keyof typeof CONTENDERS;

/** The same task, model and number of rollouts at once, on both sides. */
export const rolloutsScenario: Scenario = {
  name: 'rollouts',
  title: 'no fewer rollouts a second than atroposlib with commands in threads; and what a sandbox costs',
  async run(context) {
    const measured: Record<Name, MeasuredRollouts[]> = {
      ...{ ourNamespaces: [], oursWithoutWall: [], theirSubprocess: [], theirThreads: [] },
    };
    const release = claimProcessor();
    if (release !== undefined) context.defer(release);
    // The one without a bar is in the full form only.
    const names = (Object.keys(CONTENDERS) as Name[]).filter((name) => context.full || name !== 'theirSubprocess');
    for (let round = 0; round < (context.full ? 3 : 1); round += 1) {
      if (release === undefined || context.full) await waitForCalm(context.full);
      for (const name of names) {
        const one = await measureRollouts({
          ...{ contender: CONTENDERS[name], groups: context.full ? 3 : 1, groupSize: AT_ONCE, timeoutMs: 120_000 },
          cwd: await context.scratch(),
          thinkMs: () => THINK_MS.least + Math.random() * (THINK_MS.most - THINK_MS.least),
        });
        if (one.solved !== one.rollouts) throw new Error(`${name} solved ${one.solved} of ${one.rollouts}`);
        context.log(
          `${name}: ${one.rolloutsPerSecond.toFixed(2)} rollouts/s, foreign cores ${one.foreignCores.toFixed(2)}`,
        );
        measured[name].push(one);
      }
    }
    const rates = (name: Name): number[] => measured[name].map(({ rolloutsPerSecond }) => rolloutsPerSecond);
    const rate = (name: Name): number => findMedian(rates(name));
    const compare = (left: Name, right: Name): string =>
      `${(rate(left) / rate(right)).toFixed(1)}× (${rate(left).toFixed(1)} against ${rate(right).toFixed(1)} rollouts/s; ${describeRounds(rates(left))} against ${describeRounds(rates(right))})`;
    context.report({
      name: 'both without a wall, atroposlib with commands in threads',
      figure: compare('oursWithoutWall', 'theirThreads'),
      bar: `≥ ${MIN_RATIO}×`,
      ok: rate('oursWithoutWall') / rate('theirThreads') >= MIN_RATIO,
    });
    // What the wall costs, beside a peer that has none.
    context.report({
      name: 'ours in namespaces, atroposlib without a wall',
      figure: compare('ourNamespaces', 'theirThreads'),
      bar: 'none, for the reader',
      ok: true,
    });
    if (!context.full) return;
    // It holds its event loop while a command runs, and could not win: what many write first, and no bar.
    context.report({
      name: 'if its author calls subprocess.run',
      figure: `namespaces ${compare('ourNamespaces', 'theirSubprocess')}, both without a wall ${compare('oursWithoutWall', 'theirSubprocess')}`,
      bar: 'none, for the reader',
      ok: true,
    });
  },
};
