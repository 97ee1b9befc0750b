import { readMetricEnds, readMetricSeries, type MetricScope } from '@lachesis/store';
import { COMPARED_STEPS, type Curve, type Learning, type Point } from './learning.ts';
import { isJudged, toCurve, toPoints } from './to-curves.ts';

const EVALUATION = /(^|\/)eval\/mean_reward$/;
/** Steps at the end that are read to find the newest points of a series; an evaluation is rarer than that. */
const LATE_STEPS = 50;

/** How the judged series of a run began and how they stand. */
export async function readCurves(scope: MetricScope): Promise<Learning['curves']> {
  const ends = (await readMetricEnds(scope)).filter(({ series }) => isJudged(series));
  const read = async (series: string, afterStep: number, limit?: number): Promise<Point[]> => {
    const points = await readMetricSeries({ ...scope, series, afterStep, ...(limit === undefined ? {} : { limit }) });
    return toPoints(points);
  };
  const curves = ends.map(async ({ series, step }): Promise<[string, Curve]> => {
    const late = EVALUATION.test(series) ? -1 : Math.max(-1, step - LATE_STEPS);
    const [first, recent] = await Promise.all([read(series, -1, 2 * COMPARED_STEPS), read(series, late)]);
    return [series, toCurve(first, recent)];
  });
  return new Map(await Promise.all(curves));
}
