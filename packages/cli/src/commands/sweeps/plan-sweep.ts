/** What one line of the table stands for: values for the settings of the grid. */
export interface SweepPoint {
  readonly settings: Readonly<Record<string, string>>;
}

/** A sweep as it was asked for. It is written down before its first run, and never changes. */
export interface SweepPlan {
  readonly sweep: string;
  readonly created_at: number;
  /** Where it was typed; paths in the arguments are meant from there. */
  readonly folder: string;
  /** Arguments of `lachesis train` that all runs have. */
  readonly arguments: readonly string[];
  /** The series that runs are judged by: the larger, the better. */
  readonly metric: string;
  readonly seeds: readonly number[];
  readonly points: readonly SweepPoint[];
  /** Steps at which runs are judged, the last being all of them. */
  readonly rungs: readonly number[];
  /** Runs that are under way at once. */
  readonly parallel: number;
}

/** Every combination of the values, the last setting changing first. */
export function combineGrid(grid: Readonly<Record<string, readonly string[]>>): SweepPoint[] {
  let points: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(grid))
    points = points.flatMap((point) => values.map((value) => ({ ...point, [name]: value })));
  return points.map((settings) => ({ settings }));
}

/**
 * Where successive halving judges: each time half of the points go on, to twice the steps. Without it there is one judgement, at
 * the end.
 */
export function planRungs({
  points,
  steps,
  isHalving,
}: {
  points: number;
  steps: number;
  isHalving: boolean;
}): number[] {
  const rungs = [steps];
  if (!isHalving) return rungs;
  for (let left = points; left > 1 && (rungs[0] ?? 1) >= 2; left = Math.ceil(left / 2))
    rungs.unshift(Math.floor((rungs[0] ?? 1) / 2));
  return rungs;
}

/** The better half, by the mean over seeds; of equal ones the earlier. Those without a number are behind all others. */
export function keepBetterHalf(scores: ReadonlyMap<number, number | undefined>): number[] {
  const ranked = [...scores].toSorted(
    ([left, leftScore], [right, rightScore]) =>
      (rightScore ?? Number.NEGATIVE_INFINITY) - (leftScore ?? Number.NEGATIVE_INFINITY) || left - right,
  );
  return ranked
    .slice(0, Math.ceil(ranked.length / 2))
    .map(([point]) => point)
    .toSorted((left, right) => left - right);
}
