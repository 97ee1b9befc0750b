import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { watchScheme } from '../shell/scheme.ts';
import type { ChartData } from './chart-data.ts';
import { readColours } from './colours.ts';
import { writeNumber } from './format.ts';
import { thinPoints } from './thin-points.ts';

export interface ChartOptions {
  /** Charts with the same name share their cursor. */
  readonly cursor: string;
  readonly height?: number;
  /** A stretch was drawn with the pointer; undefined when it was let go of. */
  readonly onRange?: (range: readonly [number, number] | undefined) => void;
  /** A point was clicked, at this height. */
  readonly onOpen?: (step: number, value: number) => void;
}

export interface Chart {
  update(data: ChartData): void;
  destroy(): void;
}

const LINE_TOKENS = ['line-1', 'line-2', 'line-3', 'line-4'] as const;
const TOKENS = [...LINE_TOKENS, 'band', 'grid', 'text-faint', 'text-soft', 'good', 'warn', 'accent'] as const;
const MARK_TOKENS = { checkpoint: 'text-soft', restart: 'warn', promotion: 'good' } as const;
const MARK_DASHES = { checkpoint: [2, 3], restart: [6, 3], promotion: [] } as const;
const DEFAULT_HEIGHT = 168;
const AXIS = 44;
/** Between a label and the chart, and at the edge. */
const AXIS_ROOM = 8;

/** Draws lines over steps into an element, and keeps to its width. */
export function mountChart(element: HTMLElement, first: ChartData, options: ChartOptions): Chart {
  let data = thinPoints(first);
  let plot = draw();

  function draw(): uPlot {
    const colours = readColours(element, TOKENS);
    const font = `12px ${getComputedStyle(element).fontFamily}`;
    const lines = data.lines.flatMap(({ name }, index): uPlot.Series[] => {
      const stroke = colours[LINE_TOKENS[index % LINE_TOKENS.length]!];
      const bound: uPlot.Series = { label: name, stroke: 'transparent', width: 0, points: { show: false } };
      return [{ label: name, stroke, width: 1.5, points: { size: 4 } }, bound, bound];
    });
    const axis: uPlot.Axis = {
      stroke: colours['text-faint'],
      font,
      grid: { stroke: colours.grid, width: 1 },
      ticks: { show: false },
    };
    const built = new uPlot(
      {
        width: Math.max(element.clientWidth, 80),
        height: options.height ?? DEFAULT_HEIGHT,
        legend: { show: false },
        padding: [8, 8, 0, 0],
        scales: {
          x: { time: false, range: (_, min, max) => widen(data.range ?? [min, max]) },
          y: { range: (_, min, max) => (min === max ? pad(min) : uPlot.rangeNum(min, max, 0.1, false)) },
        },
        series: [{}, ...lines],
        bands: data.lines.map((_, index) => ({ series: [index * 3 + 3, index * 3 + 2], fill: colours.band })),
        axes: [
          { ...axis, grid: { show: false }, size: 24, gap: 4, space: 64 },
          {
            ...axis,
            size: (self, labels) => fitAxis(self, labels, font),
            gap: 4,
            space: 32,
            values: (_, ticks, _axis, _space, step) => ticks.map((tick) => writeTick(tick, step)),
          },
        ],
        cursor: {
          sync: { key: options.cursor, setSeries: false },
          drag: { x: true, y: false, setScale: false },
          points: { size: 6 },
        },
        hooks: {
          drawClear: [(self) => drawMarks(self, colours)],
          setSelect: [(self) => onSelect(self)],
        },
      },
      toColumns(data),
      element,
    );
    built.over.addEventListener('click', () => onClick(built));
    built.over.addEventListener('dblclick', () => options.onRange?.(undefined));
    return built;
  }

  function drawMarks({ ctx, bbox, valToPos }: uPlot, colours: Readonly<Record<(typeof TOKENS)[number], string>>): void {
    const at = data.at === undefined ? [] : [{ step: data.at, stroke: colours.accent, dash: [] as readonly number[] }];
    const happened = (data.marks ?? []).map(({ step, kind }) => ({
      ...{ step, stroke: colours[MARK_TOKENS[kind]], dash: MARK_DASHES[kind] },
    }));
    for (const { step, stroke, dash } of [...happened, ...at]) {
      const x = Math.round(valToPos(step, 'x', true));
      if (!(x >= bbox.left && x <= bbox.left + bbox.width)) continue;
      ctx.save();
      ctx.strokeStyle = stroke;
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.restore();
    }
  }

  function onSelect(self: uPlot): void {
    const { left, width } = self.select;
    if (width < 4) return;
    const from = Math.round(self.posToVal(left, 'x'));
    const to = Math.round(self.posToVal(left + width, 'x'));
    self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (to > from) options.onRange?.([from, to]);
  }

  function onClick(self: uPlot): void {
    const index = self.cursor.idx;
    const step = index === null || index === undefined ? undefined : data.steps[index];
    // A drag ends with a click of its own.
    if (step !== undefined && self.select.width === 0) options.onOpen?.(step, self.posToVal(self.cursor.top ?? 0, 'y'));
  }

  const again = (): void => {
    plot.destroy();
    plot = draw();
  };
  const resize = new ResizeObserver(() => {
    const width = Math.max(element.clientWidth, 80);
    if (width !== plot.width) plot.setSize({ width, height: options.height ?? DEFAULT_HEIGHT });
  });
  resize.observe(element);
  const unwatch = watchScheme(again);

  return {
    update(next) {
      const isSameShape = next.lines.length === data.lines.length;
      data = thinPoints(next);
      if (isSameShape) plot.setData(toColumns(data));
      else again();
    },
    destroy() {
      resize.disconnect();
      unwatch();
      plot.destroy();
    },
  };
}

/** As wide as its longest label, so that none is cut off at the edge; charts beside each other are the same where they can be. */
function fitAxis({ ctx }: uPlot, labels: readonly string[] | null, font: string): number {
  ctx.save();
  ctx.font = font;
  const longest = Math.max(0, ...(labels ?? []).map((label) => ctx.measureText(label).width));
  ctx.restore();
  return Math.max(AXIS, Math.ceil(longest) + AXIS_ROOM);
}

/** A run of one step has a place on the axis, too. */
const widen = ([min, max]: readonly [number, number]): [number, number] =>
  min === max ? [min - 1, max + 1] : [min, max];

/** A value that never changes lies in the middle, with room that fits its size. */
const pad = (value: number): [number, number] => {
  const room = value === 0 ? 1 : Math.abs(value) / 2;
  return [value - room, value + room];
};

/** With as many digits as tell it from the next one. */
function writeTick(tick: number, step: number): string {
  if (Math.abs(tick) >= 1e4) return new Intl.NumberFormat('en', { notation: 'compact' }).format(tick);
  const digits = Math.ceil(-Math.log10(step) - 1e-9);
  return digits > 3 && digits <= 6 && tick !== 0 ? tick.toFixed(digits) : writeNumber(tick);
}

function toColumns({ steps, lines, hasBand = true }: ChartData): uPlot.AlignedData {
  const none = steps.map(() => null);
  const columns = lines.flatMap(({ values, low, high }) => [
    values,
    hasBand ? (low ?? none) : none,
    hasBand ? (high ?? none) : none,
  ]);
  return [steps, ...columns] as unknown as uPlot.AlignedData;
}
