import { listMetricRows, readMetricEnds, type MetricPoint, type MetricScope } from '@lachesis/store';
import { COMPARED_STEPS, type Learning, type LearningStep } from './judge-learning.ts';

const SERIES = { reward: 'reward/mean', groups: 'train/groups', deadGroups: 'train/dead_groups' } as const;
const NAMES = Object.values(SERIES);

/** The first and the last steps of a run, from its metrics. */
export async function readLearning(scope: MetricScope): Promise<Learning> {
  const last = (await readMetricEnds(scope)).find(({ series }) => series === SERIES.groups)?.step ?? 0;
  const read = async (afterStep: number): Promise<LearningStep[]> =>
    toSteps(await listMetricRows({ ...scope, series: NAMES, afterStep }));
  const [first, recent] = await Promise.all([read(0), read(Math.max(0, last - COMPARED_STEPS))]);
  return { first: first.slice(0, COMPARED_STEPS), recent: recent.slice(-COMPARED_STEPS) };
}

/** Steps of which all three are known. A step that was made again counts as it was made last. */
function toSteps(points: readonly MetricPoint[]): LearningStep[] {
  const found = new Map<number, Map<string, number>>();
  for (const { series, step, value } of points) {
    const values = found.get(step) ?? new Map<string, number>();
    if (value !== null) values.set(series, value);
    found.set(step, values);
  }
  return [...found].flatMap(([step, values]) => {
    const [reward, groups, deadGroups] = [SERIES.reward, SERIES.groups, SERIES.deadGroups].map((name) =>
      values.get(name),
    );
    if (reward === undefined || groups === undefined || deadGroups === undefined) return [];
    return [{ step, reward, groups, deadGroups }];
  });
}
