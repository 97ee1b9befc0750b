import type { SweepPlan } from './plan-sweep.ts';
import { summariseSweep } from './summarise-sweep.ts';
import type { SweepLine } from './sweep-files.ts';

/** What a sweep needs of the world; a test puts its own in place. */
export interface SweepWorld {
  readLines(): Promise<SweepLine[]>;
  /** If we die after `started` and before the end, the run is interrupted, and made anew or resumed. */
  append(line: SweepLine): Promise<void>;
  /** Trains to so many steps. Rejects where it fails for good; resolves with false when it was stopped from outside. */
  train(run: RunOrder): Promise<boolean>;
  /** The last value of the metric up to a step; undefined where there is none. */
  readValue(run: string, steps: number): Promise<number | undefined>;
  say(sentence: string): void;
}

export interface RunOrder {
  readonly run: string;
  readonly seed: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Undefined for all steps of the recipe. */
  readonly steps: number | undefined;
}

/**
 * Makes what is missing of a sweep, so many runs at once as it allows. What has ended stays as it is. A run that was interrupted
 * is made anew under another name, so that the table is the one there would have been; with `resumesRuns` it goes on from its
 * checkpoint.
 */
export async function runSweep(options: {
  plan: SweepPlan;
  world: SweepWorld;
  resumesRuns: boolean;
  signal: AbortSignal;
}): Promise<void> {
  const { plan, world, resumesRuns, signal } = options;
  for (const [rung, steps] of plan.rungs.entries()) {
    const lines = await world.readLines();
    const running = summariseSweep(plan, lines).survivors[rung];
    // A rung before it has no end: somebody stopped the sweep.
    if (running === undefined) return;
    const missing = running.flatMap((point) =>
      plan.seeds.flatMap((seed) => (hasEnded(lines, { point, seed, steps }) ? [] : [{ point, seed }])),
    );
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < missing.length && !signal.aborted) {
        const place = missing[next]!;
        next += 1;
        await makeRun({ plan, world, resumesRuns, rung, place });
      }
    };
    await Promise.all(Array.from({ length: Math.min(plan.parallel, missing.length) }, work));
    if (signal.aborted) return;
  }
}

const hasEnded = (lines: readonly SweepLine[], at: { point: number; seed: number; steps: number }): boolean =>
  lines.some(
    ({ point, seed, steps, state }) =>
      point === at.point && seed === at.seed && steps === at.steps && state !== 'started',
  );

async function makeRun(options: {
  plan: SweepPlan;
  world: SweepWorld;
  resumesRuns: boolean;
  rung: number;
  place: { point: number; seed: number };
}): Promise<void> {
  const { plan, world, resumesRuns, rung, place } = options;
  const { point, seed } = place;
  const own = (await world.readLines()).filter((line) => line.point === point && line.seed === seed);
  const last = own.at(-1);
  const isInterrupted = last?.state === 'started';
  const names = new Set(own.map(({ run }) => run));
  const isAnew = last === undefined || (isInterrupted && !resumesRuns);
  const attempt = names.size + (isAnew ? 1 : 0);
  const run = isAnew ? nameRun(plan.sweep, { point, seed, attempt }) : last.run;
  // Who begins anew goes through the earlier rungs again, as the run before it did.
  const rungs = plan.rungs.slice(isAnew ? 0 : rung, rung + 1);
  for (const steps of rungs) {
    await world.append({ point, seed, run, steps, state: 'started' });
    const isLast = steps === plan.rungs.at(-1);
    const order = { run, seed, settings: plan.points[point]?.settings ?? {}, steps: isLast ? undefined : steps };
    try {
      if (!(await world.train(order))) return;
    } catch (error) {
      world.say(`${run} failed: ${error instanceof Error ? error.message : String(error)}`);
      await world.append({ point, seed, run, steps, state: 'failed' });
      return;
    }
    const value = await world.readValue(run, steps);
    // An earlier rung that was gone through again has its line already, and the same value.
    await world.append({ point, seed, run, steps, state: 'ended', ...(value === undefined ? {} : { value }) });
    world.say(`${run}: ${plan.metric} ${value === undefined ? 'without a value' : value.toFixed(4)} at step ${steps}`);
  }
}

/** Points and seeds by number; the second attempt and later ones say so. */
const nameRun = (sweep: string, { point, seed, attempt }: { point: number; seed: number; attempt: number }): string =>
  `${sweep}-${point + 1}-s${seed}${attempt === 1 ? '' : `-${attempt}`}`;
