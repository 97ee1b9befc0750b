import {
  environmentOf,
  EVAL_EVERY,
  EVAL_SERIES,
  expectRuns,
  LONG_RUN,
  LONG_SERIES,
  LONG_STEPS,
  RUNS,
  stateOf,
  valueOf,
} from './facts.ts';
import type { ChartRow, RunReader } from './reader.ts';

/** One kind of question. `ask` says whether the answer is right. */
export interface Question {
  kind: string;
  /** `time` counts from 0; the same number is the same question. The clock stops when the reader has answered. */
  ask(reader: RunReader, time: number): Promise<() => boolean>;
}

const PAGE = 100;
/** Later pages are this far apart, the last one before the oldest runs. */
const PAGES_APART = 300;
const LATER_PAGES = Math.floor((RUNS - PAGE) / PAGES_APART);
const CHART_ROWS = 500;
/** Fewer rows than this would be a poor chart of 500. */
const LEAST_ROWS = 250;

const isSame = (left: readonly string[], right: readonly string[]): boolean => left.join() === right.join();

export const questions: readonly Question[] = [
  {
    kind: 'list: first page',
    async ask(reader) {
      const found = await reader.list({ limit: PAGE });
      return () => isSame(found, expectRuns({ limit: PAGE }));
    },
  },
  {
    kind: 'list: by state',
    async ask(reader, time) {
      const state = time % 2 === 0 ? 'failed' : 'stopped';
      const found = await reader.list({ state, limit: PAGE });
      return () => isSame(found, expectRuns({ fits: (run) => stateOf(run) === state, limit: PAGE }));
    },
  },
  {
    kind: 'list: by environment',
    async ask(reader, time) {
      const environment = time % 2 === 0 ? 'rare' : `environment-${time % 20}`;
      const found = await reader.list({ environment, limit: PAGE });
      return () => isSame(found, expectRuns({ fits: (run) => environmentOf(run) === environment, limit: PAGE }));
    },
  },
  {
    kind: 'list: by both',
    async ask(reader, time) {
      const [state, environment] = ['stopped', `environment-${time % 20}`] as const;
      const fits = (run: number): boolean => stateOf(run) === state && environmentOf(run) === environment;
      const found = await reader.list({ state, environment, limit: PAGE });
      return () => isSame(found, expectRuns({ fits, limit: PAGE }));
    },
  },
  {
    kind: 'list: later page',
    async ask(reader, time) {
      const before = RUNS - PAGES_APART * (1 + (time % LATER_PAGES));
      const found = await reader.list({ before, limit: PAGE });
      return () => isSame(found, expectRuns({ before, limit: PAGE }));
    },
  },
  {
    kind: 'show',
    async ask(reader, time) {
      const run = time % 3 === 0 ? LONG_RUN : 1 + ((time * 2_711) % RUNS);
      const { state, processes } = await reader.show(run);
      return () => state === stateOf(run) && processes === 3;
    },
  },
  {
    kind: 'chart: one metric',
    async ask(reader, time) {
      const series = [LONG_SERIES[time % LONG_SERIES.length]!];
      const chart = await reader.chart(LONG_RUN, series, CHART_ROWS);
      return () => isRight(chart, series);
    },
  },
  {
    kind: 'chart: ten metrics',
    async ask(reader) {
      const series = [...LONG_SERIES, EVAL_SERIES];
      const chart = await reader.chart(LONG_RUN, series, CHART_ROWS);
      return () => isRight(chart, series);
    },
  },
];

/** Every step is in one row, and each row holds the lowest, the highest and the mean of what it stands for. */
function isRight(chart: readonly ChartRow[], series: readonly string[]): boolean {
  if (chart.length < LEAST_ROWS || chart.length > CHART_ROWS || chart.at(-1)?.step !== LONG_STEPS) return false;
  let from = 1;
  for (const { step: to, series: found } of chart) {
    for (const name of series) {
      const values: number[] = [];
      const index = LONG_SERIES.indexOf(name);
      for (let step = from; step <= to; step += 1) {
        if (name !== EVAL_SERIES) values.push(valueOf(index, step));
        else if (step % EVAL_EVERY === 0) values.push(0.5);
      }
      const [mean, low, high] = found.get(name) ?? [null, null, null];
      if (values.length === 0 ? found.has(name) : low !== Math.min(...values) || high !== Math.max(...values))
        return false;
      const expected = values.reduce((sum, value) => sum + value, 0) / values.length;
      if (values.length > 0 && Math.abs((mean ?? Infinity) - expected) > 1e-6 * Math.max(1, expected)) return false;
    }
    from = to + 1;
  }
  return true;
}
