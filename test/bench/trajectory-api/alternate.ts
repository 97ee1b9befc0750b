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
  /** In the short form; the full one has three. */
  readonly shortRounds?: number;
}

/** Whatever comes out of the first. */
const ROUNDS = 3;

/**
 * Measures original, ours, ours, and again. A database on which ours fails is reported as short and has no pairs; the other one
 * goes on.
 */
export async function alternate(options: AlternateOptions): Promise<ReadonlyMap<OurName, readonly Pair[]>> {
  const { context, caseName, start, load, ourLoad = load, names = OUR_NAMES, shortRounds = ROUNDS } = options;
  const pairs = new Map<OurName, Pair[]>(names.map((name) => [name, []]));
  for (let round = 1; round <= (context.full ? ROUNDS : shortRounds); round += 1) {
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
  /** Of each round. */
  readonly ratios: readonly number[];
  readonly original: number;
  readonly ours: number;
}

/** One figure of both sides and their ratio; the ratio is taken within each round, so that slow drift cancels out. */
export function comparePairs(pairs: readonly Pair[], pick: (result: LoadResult) => number): Comparison {
  const ratios = pairs.map(({ original, ours }) => pick(ours) / pick(original));
  return {
    ...{ ratio: findMedian(ratios), ratios },
    original: findMedian(pairs.map(({ original }) => pick(original))),
    ours: findMedian(pairs.map(({ ours }) => pick(ours))),
  };
}
