import type { ReactNode } from 'react';

interface SparklineProps {
  values: readonly number[];
  label: string;
}

const WIDTH = 96;
const HEIGHT = 20;
const EDGE = 2;

/** A curve in a line of text. Zero is drawn where the values lie on both sides of it, so that a sign is seen. */
export function Sparkline({ values, label }: SparklineProps): ReactNode {
  if (values.length < 2) return <span className="soft">{values.length === 0 ? '' : '·'}</span>;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const heightOf = (value: number): number =>
    high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - EDGE * 2);
  const points = values.map((value, index) => {
    const left = EDGE + (index / (values.length - 1)) * (WIDTH - EDGE * 2);
    return `${left.toFixed(1)},${heightOf(value).toFixed(1)}`;
  });
  const [lastX, lastY] = (points.at(-1) ?? '0,0').split(',');
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      {low < 0 && high > 0 && <path className="zero" d={`M0 ${heightOf(0).toFixed(1)}h${WIDTH}`} />}
      <polyline points={points.join(' ')} />
      <circle cx={lastX} cy={lastY} r="2" />
    </svg>
  );
}
