import type { ImproveReport } from './improve-home.ts';

/** What two ways to the same end have to have in common; ids, names of runs and times are their own. */
export function findDifferences(straight: ImproveReport, killed: ImproveReport): string[] {
  const [left, right] = [factsOf(straight), factsOf(killed)];
  return Object.keys(left).filter((name) => left[name] !== right[name]);
}

function factsOf({ outcome, stages }: ImproveReport): Record<string, string> {
  const { rate, dataset, train, evaluate } = stages;
  return {
    outcome,
    ratings: String(rate.ratings),
    rows: JSON.stringify({ ...dataset, until: 0 }),
    model: train.model,
    steps: String(train.steps),
    metrics: JSON.stringify(toPlaces(train.metrics)),
    evaluation: JSON.stringify(toPlaces({ ...evaluate, by: 0, interval: 0, examples: 0 })),
  };
}

/** What the clock decides, such as seconds of a step, is not compared; of the others the rounding of a batch is left out. */
const PLACES = 3;
const OF_THE_CLOCK = /time|second|duration|per_s/;

function toPlaces(numbers: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(numbers)
      .filter(([name]) => !OF_THE_CLOCK.test(name))
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, value]) => [name, value.toFixed(PLACES)]),
  );
}
