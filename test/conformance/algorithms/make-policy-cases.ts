import { createRandom, type Random } from '../render/random.ts';

/** What is compared: a preset by its name, or one part alone. */
export interface PolicySubject {
  readonly name: string;
  /** The section `tinker` of its recipe. */
  readonly tinker: Readonly<Record<string, unknown>>;
  /** What the reference is told: the name of an algorithm, or `part` with its settings. */
  readonly reference: Readonly<Record<string, unknown>>;
}

/** One batch, in a shape that JSON carries. Rows are the tokens of replies, those of a tool among them. */
export interface PolicyCase {
  readonly learner: number[][];
  readonly sampler: number[][];
  readonly proximal: number[][];
  readonly reference: number[][];
  /** Which tokens count. */
  readonly mask: number[][];
  readonly scores: number[];
  readonly group: number[];
  readonly length: number;
}

/** The longest a reply may be; short, so that some are cut off there. */
export const LONGEST = 10;

/** Random batches of one to three groups; a fifth of the groups has equal scores, a tenth of the batches a learner that has not moved. */
export function makePolicyCases({ count, seed }: { count: number; seed: number }): PolicyCase[] {
  const random = createRandom(seed);
  return random.list(count, () => makeCase(random));
}

function makeCase(random: Random): PolicyCase {
  const group: number[] = [];
  const scores: number[] = [];
  const groups = 1 + random.integer(3);
  for (let at = 0; at < groups; at += 1) {
    const size = 1 + random.integer(4);
    const isEqual = random.chance(0.2);
    const first = random.pick([0, 1, 2 * random.next() - 1]);
    for (let member = 0; member < size; member += 1) {
      group.push(at);
      scores.push(isEqual ? first : random.pick([0, 1, 3 * random.next() - 1]));
    }
  }
  const mask = scores.map(() => makeMask(random));
  const isStill = random.chance(0.1);
  // A step moves most ratios a little and some far, across every clip and cap.
  const spread = random.pick([0.001, 0.2, 1]);
  const sampler = mask.map((row) => row.map(() => Math.fround(-6 * random.next() ** 2 - 0.01)));
  const near = (rows: number[][], width: number): number[][] =>
    rows.map((row) => row.map((value) => Math.fround(value + width * (2 * random.next() - 1))));
  const learner = isStill ? sampler.map((row) => [...row]) : near(sampler, spread);
  return {
    learner,
    sampler,
    proximal: near(learner, spread),
    reference: near(sampler, 1),
    ...{ mask, scores, group, length: LONGEST },
  };
}

function makeMask(random: Random): number[] {
  const trained = random.chance(0.1) ? LONGEST : 1 + random.integer(LONGEST);
  const row: number[] = [];
  for (let token = 0; token < trained; token += 1) {
    if (random.chance(0.15)) row.push(0);
    row.push(1);
  }
  return row;
}
