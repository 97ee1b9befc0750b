import { useEffect, useRef, type ReactNode } from 'react';
import type { ChartData } from './chart-data.ts';
import { mountChart, type Chart, type ChartOptions } from './chart.ts';

interface ChartViewProps extends ChartOptions {
  data: ChartData;
  /** What the picture shows, in words. */
  label: string;
}

/** Places a chart: React knows where it is, and the chart draws itself. */
export function ChartView({ data, label, ...options }: ChartViewProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(undefined);
  const newest = useRef({ data, options });
  useEffect(() => {
    newest.current = { data, options };
  });
  const { cursor, height } = options;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const mounted = mountChart(element, newest.current.data, {
      cursor,
      ...(height === undefined ? {} : { height }),
      onRange: (range) => newest.current.options.onRange?.(range),
      onOpen: (step, value) => newest.current.options.onOpen?.(step, value),
    });
    chart.current = mounted;
    return () => {
      mounted.destroy();
      chart.current = undefined;
    };
  }, [cursor, height]);
  useEffect(() => chart.current?.update(data), [data]);
  return <div className="chart" role="img" aria-label={label} ref={place} />;
}
