import { mean } from './mean.ts';
import { studentReach95 } from './student-t.ts';

/** What the differences of two models on the same items, right minus left, say together. */
export interface DifferenceSummary {
  /** Items that both have a score for; others compare nothing. */
  readonly items: number;
  /** Mean of right minus left. */
  readonly difference: number;
  /** 95 %, by Student's t of the paired differences; not numbers for fewer than two. */
  readonly interval: readonly [number, number];
  readonly rightBetter: number;
  readonly leftBetter: number;
}

/** The mean of paired differences with its interval; everybody who compares two things on the same items takes it from here. */
export function summariseDifferences(differences: readonly number[]): DifferenceSummary {
  const difference = mean(differences);
  const count = differences.length;
  const squares = differences.reduce((sum, each) => sum + (each - difference) ** 2, 0);
  const error = count < 2 ? Number.NaN : Math.sqrt(squares / (count - 1) / count);
  const reach = studentReach95(count - 1) * error;
  return {
    items: count,
    difference,
    interval: [difference - reach, difference + reach],
    rightBetter: differences.filter((each) => each > 0).length,
    leftBetter: differences.filter((each) => each < 0).length,
  };
}
