import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { modelsQuery, runEventsQuery, stepsQuery } from '../api/queries.ts';
import type { ChartMark } from '../parts/chart-data.ts';

/** What happened in a run, for the lines in its charts: saved weights, processes that died, versions that were promoted. */
export function useMarks(run: string): readonly ChartMark[] {
  const { data: saved } = useQuery(modelsQuery(run));
  const { data: history } = useQuery(runEventsQuery(run));
  const { data: steps } = useQuery(stepsQuery(run, true));
  return useMemo(() => {
    const models = (saved?.models ?? []).flatMap(({ step, is_promoted }): ChartMark[] =>
      step === null ? [] : [{ step, kind: is_promoted ? 'promotion' : 'checkpoint' }],
    );
    // An event knows its time and not its step: it stands at the step that was under way.
    const died = (history?.events ?? []).filter(({ kind }) => kind === 'process-died');
    const restarts = died.flatMap(({ at }): ChartMark[] => {
      const step = steps?.steps.find(({ started_at }) => started_at <= at)?.step;
      return step === undefined ? [] : [{ step, kind: 'restart' }];
    });
    return [...models, ...restarts];
  }, [saved, history, steps]);
}
