export interface LossComparison {
  /** Steps that both runs have. */
  readonly compared: number;
  readonly largest: number;
  /** Where the losses of the straight run lie: equal zeros would show nothing. */
  readonly range: string;
}

/** Puts the steps of a resumed run beside those of a run that was never interrupted. */
export function compareLosses(options: {
  straight: ReadonlyMap<number, number>;
  resumed: ReadonlyMap<number, number>;
  from: number;
  count: number;
}): LossComparison {
  const { straight, resumed, from, count } = options;
  const steps = Array.from({ length: count }, (_, index) => from + index).filter(
    (step) => straight.has(step) && resumed.has(step),
  );
  const differences = steps.map((step) => Math.abs(straight.get(step)! - resumed.get(step)!));
  const ends = [steps.at(0), steps.at(-1)].map((step) => straight.get(step ?? Number.NaN)?.toFixed(3) ?? 'none');
  return {
    compared: steps.length,
    // Of nothing the largest is NaN, which is neither near nor far.
    largest: steps.length === 0 ? Number.NaN : Math.max(...differences),
    range: `losses ${ends.join(' to ')}`,
  };
}
