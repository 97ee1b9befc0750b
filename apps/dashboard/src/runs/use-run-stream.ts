import type { RunMetricPoint, RunMetrics, RunStatus, StatusEvent } from '@lachesis/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followTopic } from '../api/stream.ts';

/** How often what came is drawn: more would be seen by nobody. */
const DRAW_MS = 250;

/**
 * Brings new points, states and events of a run into the answers that the page shows. Nothing is fetched again: points join
 * the history that is there.
 */
export function useRunStream(run: string, isEnded: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (isEnded) return undefined;
    let points: RunMetricPoint[] = [];
    const drawing = setInterval(() => {
      if (points.length === 0) return;
      const fresh = points;
      points = [];
      queries.setQueriesData<RunMetrics>({ queryKey: ['run', run, 'metrics'] }, (before) =>
        before === undefined ? undefined : addPoints(before, fresh),
      );
    }, DRAW_MS);
    // What is before the step it is at now is in the history, which is fetched when a chart is drawn.
    const step = queries.getQueryData<RunStatus>(['run', run])?.metrics.step ?? 0;
    const unfollow = followTopic(
      `metrics:${run}`,
      (event, data) => {
        if (event === 'metrics') points.push(...(data as { points: RunMetricPoint[] }).points);
        if (event !== 'status') return;
        const { status, reason } = data as StatusEvent;
        queries.setQueryData<RunStatus>(['run', run], (before) =>
          before === undefined ? undefined : { ...before, status, reason },
        );
        void queries.invalidateQueries({ queryKey: ['run', run], exact: true });
        void queries.invalidateQueries({ queryKey: ['run', run, 'events'] });
      },
      Math.max(0, step - 1),
    );
    return () => {
      unfollow();
      clearInterval(drawing);
    };
  }, [run, isEnded, queries]);
}

/** The history with what came since, one row a step. What was told before is told again with the same value. */
export function addPoints(metrics: RunMetrics, points: readonly RunMetricPoint[]): RunMetrics {
  const rows = new Map(metrics.history.map((row) => [row.step, row]));
  const last = metrics.history.at(-1)?.step ?? -1;
  const final = { ...metrics.final_metrics };
  for (const { series, step, value } of points) {
    // Steps before the last are in a row of the history, which may stand for several.
    if (step >= last) rows.set(step, { ...(rows.get(step) ?? { step }), [series]: value });
    final[series] = value;
  }
  const names = new Set([...metrics.series, ...points.map(({ series }) => series)]);
  return {
    ...metrics,
    final_metrics: final,
    series: names.size === metrics.series.length ? metrics.series : [...names].toSorted(),
    history: [...rows.values()].toSorted((left, right) => left.step - right.step),
  };
}
