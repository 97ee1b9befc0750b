import { TOOLSET_DISTRIBUTIONS, type ToolsetDistribution } from './toolset-distributions.ts';
import { ToolsetError } from './toolset-error.ts';

export interface DrawToolsetsOptions {
  /** The name of a distribution, or its chances. */
  readonly distribution: string | ToolsetDistribution;
  /** Distributions of one's own by name; one of the same name goes before ours. */
  readonly distributions?: Readonly<Record<string, ToolsetDistribution>> | undefined;
  /** At least 0 and below 1; seeded by whoever draws, so that a group can be drawn again. */
  readonly next: () => number;
  /** The toolsets that can be offered; default: all of the distribution. */
  readonly available?: readonly string[] | undefined;
  /** Told of each toolset of the distribution that cannot be offered. */
  readonly onSkip?: ((toolset: string) => void) | undefined;
}

/**
 * Throws a coin for each toolset of a distribution. When none comes up, the likeliest is taken. One number is used for each
 * toolset whether or not it can be offered, so what is available does not change how the others fall.
 */
export function drawToolsets(options: DrawToolsetsOptions): readonly string[] {
  const { next, available, onSkip } = options;
  const chances = findChances(options);
  const offered: [toolset: string, percent: number][] = [];
  const drawn: string[] = [];
  for (const [toolset, percent] of Object.entries(chances)) {
    const isUp = next() * 100 < percent;
    if (available !== undefined && !available.includes(toolset)) {
      onSkip?.(toolset);
      continue;
    }
    offered.push([toolset, percent]);
    if (isUp) drawn.push(toolset);
  }
  if (drawn.length > 0) return drawn;
  const highest = Math.max(...offered.map(([, percent]) => percent));
  const likeliest = offered.find(([, percent]) => percent === highest);
  return likeliest === undefined ? [] : [likeliest[0]];
}

/** The toolsets that a distribution may draw, in its order. */
export const listDistribution = (options: Pick<DrawToolsetsOptions, 'distribution' | 'distributions'>): string[] =>
  Object.entries(findChances(options)).flatMap(([toolset, percent]) => (percent > 0 ? [toolset] : []));

function findChances({
  distribution,
  distributions = {},
}: Pick<DrawToolsetsOptions, 'distribution' | 'distributions'>): ToolsetDistribution {
  if (typeof distribution !== 'string') return checkChances('of your own', distribution);
  const known = new Map<string, ToolsetDistribution>([
    ...Object.entries(TOOLSET_DISTRIBUTIONS),
    ...Object.entries(distributions),
  ]);
  const chances = known.get(distribution);
  if (chances !== undefined) return checkChances(JSON.stringify(distribution), chances);
  throw new ToolsetError({
    kind: 'unknown-distribution',
    subject: distribution,
    reason: `There is no distribution ${JSON.stringify(distribution)}.`,
    known: [...known.keys()],
  });
}

function checkChances(name: string, chances: ToolsetDistribution): ToolsetDistribution {
  for (const [toolset, percent] of Object.entries(chances)) {
    // NaN compares as false with everything: such a coin would never come up.
    if (percent >= 0 && percent <= 100) continue;
    throw new ToolsetError({
      kind: 'bad-distribution',
      subject: toolset,
      reason: `The distribution ${name} gives ${JSON.stringify(toolset)} a chance of ${percent}; a chance is a percentage from 0 to 100.`,
      known: Object.keys(chances),
    });
  }
  return chances;
}
