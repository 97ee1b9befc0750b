import type { TrainerSection } from '@lachesis/protocol';

/** What an evaluation by the environment is told by. */
const MEAN_REWARD = 'eval/mean_reward';

/** Why a run ends before its last step. */
export interface EarlyEnd {
  /** The step of the best evaluation. */
  bestStep: number;
  detail: string;
}

export interface EvaluationWatch {
  /** The series by which the best checkpoint is chosen, where it is not the one that environments report themselves. */
  readonly bestSeries: string | undefined;
  /** The series whose points decide about the end; undefined when nothing does. */
  readonly endSeries: string | undefined;
  /** Takes one point of that series, of an earlier process too; says when the run is to end. The same step counts once. */
  add(point: { step: number; value: number }): EarlyEnd | undefined;
}

/** Ends a run whose evaluation has not risen for so many evaluations. */
export function watchEvaluations({ early_stop: early, best_checkpoint: best }: TrainerSection): EvaluationWatch {
  const seen = new Map<number, number>();
  return {
    bestSeries: best === undefined || best === null || best === MEAN_REWARD ? undefined : best,
    endSeries: early === undefined || early === null ? undefined : early.metric,
    add({ step, value }) {
      if (early === undefined || early === null) return undefined;
      seen.set(step, value);
      // Evaluations come late and out of order; what holds is their order by step.
      const inOrder = [...seen].toSorted(([left], [right]) => left - right);
      let [bestStep, bestValue, since] = [-1, Number.NEGATIVE_INFINITY, 0];
      for (const [at, measured] of inOrder) {
        const isBetter = bestStep < 0 || measured > bestValue + early.min_delta;
        if (isBetter) [bestStep, bestValue, since] = [at, measured, 0];
        else since += 1;
      }
      if (since < early.patience) return undefined;
      return {
        bestStep,
        detail: `${early.metric} has not risen in ${since} evaluations since step ${bestStep} (${bestValue.toFixed(3)})`,
      };
    },
  };
}
