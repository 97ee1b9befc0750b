import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askInTurn, metricsQuery, runQuery } from '../api/queries.ts';
import { writeNumber } from '../parts/format.ts';
import { Sparkline } from '../parts/sparkline.tsx';

const CURVE = ['reward/mean'];
const CURVE_ROWS = 48;
const LATER_MS = 10_000;

/** The reward of a run in a row. Only rows in view ask. */
export function RunCurve({ run, isEnded }: { run: string; isEnded: boolean }): ReactNode {
  const { data } = useQuery({
    ...metricsQuery(run, CURVE, CURVE_ROWS, askInTurn),
    refetchInterval: isEnded ? false : LATER_MS,
  });
  const values = (data?.history ?? []).flatMap((row) => {
    const value = (row as Record<string, unknown>)['reward/mean'];
    return typeof value === 'number' ? [value] : [];
  });
  if (values.length === 0) return <span className="soft">{data === undefined ? '' : '–'}</span>;
  const last = data?.final_metrics['reward/mean'];
  return (
    <span className="curve">
      <Sparkline values={values} label={`reward, last ${writeNumber(last)}`} />
      {writeNumber(last)}
    </span>
  );
}

/** How far a run is, by its own count. */
export function RunProgress({ run, isEnded }: { run: string; isEnded: boolean }): ReactNode {
  const { data } = useQuery({
    ...runQuery(run, askInTurn),
    ...(isEnded ? { staleTime: Number.POSITIVE_INFINITY } : { refetchInterval: LATER_MS }),
  });
  if (data === undefined) return null;
  return <StepProgress step={data.metrics.step} total={data.total_steps} />;
}

export function StepProgress({ step, total }: { step: number; total: number | null }): ReactNode {
  const isKnown = total !== null && total > 0;
  return (
    <span className="progress">
      {isKnown && (
        <progress value={Math.min(step, total)} max={total} aria-label={`step ${step} of ${total}`}>
          {step} of {total}
        </progress>
      )}
      <span>
        {step}
        {isKnown && <span className="soft"> / {total}</span>}
      </span>
    </span>
  );
}
