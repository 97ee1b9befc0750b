import { expect, test } from 'vitest';
import { combineGrid, type SweepPlan } from './plan-sweep.ts';
import { runSweep, type RunOrder, type SweepWorld } from './run-sweep.ts';
import { printSweep } from './summarise-sweep.ts';
import type { SweepLine } from './sweep-files.ts';

const makePlan = (rungs: readonly number[]): SweepPlan => ({
  ...{ sweep: 's', created_at: 0, folder: '/', arguments: [], metric: 'eval/mean_reward', parallel: 2 },
  ...{ seeds: [1, 2], rungs, points: combineGrid({ lr: ['1', '2', '3', '4'] }) },
});

/** What a run comes to is decided by its settings and its seed, as on an engine. Dies with the nth touch of the outside. */
function openWorld(lines: SweepLine[], lastTouch = Number.POSITIVE_INFINITY) {
  let [touches, atOnce, most] = [0, 0, 0];
  const trained: RunOrder[] = [];
  const known = new Map<string, RunOrder>();
  const touch = (): void => {
    touches += 1;
    if (touches > lastTouch) throw new Error('killed');
  };
  const world: SweepWorld = {
    async readLines() {
      touch();
      return [...lines];
    },
    async append(line) {
      touch();
      lines.push(line);
    },
    async train(order) {
      trained.push(order);
      known.set(order.run, order);
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 1));
      atOnce -= 1;
      // A kill is no failure of the run: nothing is noted after it.
      return touches <= lastTouch;
    },
    async readValue(run, steps) {
      touch();
      const order = known.get(run);
      return order === undefined ? undefined : Number(order.settings['lr']) + order.seed / 10 + steps / 100;
    },
    say: () => undefined,
  };
  return { world, trained, most: () => most };
}

const never = new AbortController().signal;

test('runs side by side, as many as it may, each once', async () => {
  const lines: SweepLine[] = [];
  const { world, trained, most } = openWorld(lines);
  const plan = makePlan([8]);
  await runSweep({ plan, world, resumesRuns: false, signal: never });
  expect(trained).toHaveLength(8);
  expect(most()).toBe(2);
  expect(trained[0]).toEqual({ run: 's-1-s1', seed: 1, settings: { lr: '1' }, steps: undefined });
  expect(printSweep(plan, lines)).not.toContain('not over yet');
});

test('halving trains the better half on, to twice the steps', async () => {
  const lines: SweepLine[] = [];
  const { world, trained } = openWorld(lines);
  await runSweep({ plan: makePlan([2, 4, 8]), world, resumesRuns: false, signal: never });
  expect(trained.map(({ steps }) => steps)).toEqual([
    ...Array.from({ length: 8 }, () => 2),
    ...Array.from({ length: 4 }, () => 4),
    ...[undefined, undefined],
  ]);
  expect(trained.at(-1)).toMatchObject({ run: 's-4-s2', settings: { lr: '4' } });
});

test.each([false, true])(
  'killed anywhere, twice, it ends with the same table (goes on with runs: %s)',
  async (resumesRuns) => {
    const plan = makePlan([4, 8]);
    const whole: SweepLine[] = [];
    await runSweep({ plan, world: openWorld(whole).world, resumesRuns, signal: never });
    for (let touch = 1; touch < 40; touch += 1) {
      const lines: SweepLine[] = [];
      for (const lastTouch of [touch, touch + 5]) {
        await runSweep({ plan, world: openWorld(lines, lastTouch).world, resumesRuns, signal: never }).catch(
          () => undefined,
        );
      }
      await runSweep({ plan, world: openWorld(lines).world, resumesRuns, signal: never });
      expect([touch, printSweep(plan, lines)]).toEqual([touch, printSweep(plan, whole)]);
    }
  },
);

test('a run that fails is told and costs the others nothing', async () => {
  const lines: SweepLine[] = [];
  const { world } = openWorld(lines);
  const plan = makePlan([8]);
  const train = world.train.bind(world);
  await runSweep({
    plan,
    world: {
      ...world,
      train: (order) => (order.run === 's-2-s1' ? Promise.reject(new Error('no')) : train(order)),
    },
    resumesRuns: false,
    signal: never,
  });
  expect(printSweep(plan, lines)).toContain('failed');
  expect(lines.filter(({ state }) => state === 'ended')).toHaveLength(7);
});
