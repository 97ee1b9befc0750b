import { findMedian } from '../../kit/quantiles.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { OUR_NAMES } from './contenders.ts';
import type { OurName, StartContender } from './contenders.ts';
import type { LoadResult } from './load/result.ts';
import { measureContender } from './measure.ts';
import type { CaseLoad } from './measure.ts';

/** The original and ours, measured one after the other under the same load. */
export interface Pair {
  readonly original: LoadResult;
  readonly ours: LoadResult;
}

export interface AlternateOptions {
  readonly caseName: string;
  readonly context: ScenarioContext;
  readonly start: StartContender;
  readonly load: CaseLoad;
  /** What ours is loaded with when that differs; the case then says so in its figure. */
  readonly ourLoad?: CaseLoad;
  /** Both databases by default. */
  readonly names?: readonly OurName[];
  /** Whether the short form may end after one round; if not it takes the median of three, as the full form does. */
  readonly isEnough?: (pairs: readonly Pair[]) => boolean;
}

const ROUNDS = 3;

/**
 * Measures original, ours, ours, and again: three times in the full form; in the short one once, if that is enough. A
 * database on which ours fails is reported as short and has no pairs; the other one goes on.
 */
export async function alternate(options: AlternateOptions): Promise<ReadonlyMap<OurName, readonly Pair[]>> {
  const { context, caseName, start, load, ourLoad = load, names = OUR_NAMES } = options;
  const pairs = new Map<OurName, Pair[]>(names.map((name) => [name, []]));
  const { isEnough = () => true } = options;
  for (let round = 1; round <= ROUNDS; round += 1) {
    if (round === 2 && !context.full && [...pairs.values()].every((measured) => isEnough(measured))) break;
    const original = await measureContender({ contender: 'run-api', load, start, context });
    for (const name of names) {
      if (!pairs.has(name)) continue;
      try {
        const ours = await measureContender({ contender: name, load: ourLoad, start, context });
        pairs.get(name)?.push({ original, ours });
      } catch (error) {
        pairs.delete(name);
        const reason = error instanceof Error ? error.message : String(error);
        context.report({ name: `${caseName} ${name}`, figure: `failed: ${reason}`, bar: 'no error', ok: false });
      }
    }
  }
  return pairs;
}

export interface Comparison {
  /** Median over the rounds of ours divided by the original. */
  readonly ratio: number;
  readonly original: number;
  readonly ours: number;
}

/** One figure of both sides and their ratio; the ratio is taken within each round, so that slow drift cancels out. */
export function comparePairs(pairs: readonly Pair[], pick: (result: LoadResult) => number): Comparison {
  return {
    ratio: findMedian(pairs.map(({ original, ours }) => pick(ours) / pick(original))),
    original: findMedian(pairs.map(({ original }) => pick(original))),
    ours: findMedian(pairs.map(({ ours }) => pick(ours))),
  };
}
