import type { RunMetrics } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { findNearest } from '../flags/find-nearest.ts';
import { cleanLine } from '../terminal/clean-text.ts';
import { renderChart } from '../terminal/render-chart.ts';
import { formatNumber } from '../terminal/format-number.ts';
import { toSeries } from '../runs/run-view.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { readWholeNumber } from '../flags/read-value.ts';
import { runArgument } from '../flags/run-argument.ts';
import { findRunId } from '../runs/find-run.ts';
import { serverFlags } from '../flags/server.ts';
import { withControl } from '../flags/library/find-control.ts';
import { readScreen, writeJson } from '../terminal/screen.ts';

const MOST_POINTS = 5_000;
/** What somebody looks at first. */
const FIRST_SHOWN = [
  ...['reward/mean', 'train/percent_correct', 'eval/percent_correct', 'train/loss'],
  ...['train/mean_nll', 'dpo/loss', 'kto/loss', 'reward_model/loss'],
];

const flags = {
  limit: { type: 'string', description: 'at most so many points of each (default: as many as fit)' },
  ...serverFlags,
} as const;

export const metricsCommand = defineCommand({
  meta: {
    name: 'metrics',
    description: 'Draw metrics of a run as charts: lachesis metrics <run> reward/mean train/loss.',
  },
  args: {
    ...runArgument,
    names: {
      type: 'positional',
      required: false,
      description: 'names of metrics, one or more (default: reward, correctness and loss)',
    },
    ...flags,
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { paint, columns } = readScreen();
    const limit = Math.min(MOST_POINTS, Math.max(1, readWholeNumber('limit', args.limit) ?? columns));
    const given = args._.slice(1)
      .flatMap((word) => word.split(','))
      .filter((name) => name !== '');
    await withControl(args, async (client) => {
      const runId = await findRunId(client, args.run);
      // Asked for all at once it would be the history of every metric; the names there are come with one of them.
      const known = await client.readMetrics(runId, { series: 'reward/mean', limit: 1 });
      const names =
        given.length > 0
          ? given.map((name) => readName(name, known))
          : FIRST_SHOWN.filter((name) => known.series.includes(name));
      const all = args.json === true && given.length === 0;
      const query = all ? { limit } : { series: names.join(','), limit };
      const metrics = await client.readMetrics(runId, query);
      if (args.json === true) {
        writeJson(metrics);
        return;
      }
      const series = toSeries(metrics.history);
      const charts = names.map((name) => {
        const meaning = metrics.descriptions?.[name];
        return [
          ...renderChart(name, series[name] ?? [], { paint, columns }),
          ...(meaning === undefined ? [] : [cleanLine(meaning)]),
        ].join('\n');
      });
      const text =
        charts.length === 0 ? `run ${runId} is ${metrics.status} and has no metrics yet` : charts.join('\n\n');
      process.stdout.write(`${text}\n`);
      if (given.length === 0 && charts.length > 0) process.stdout.write(`\n${listLast(metrics)}`);
    });
  },
});

function readName(name: string, { series, run_id: runId }: RunMetrics): string {
  if (series.includes(name)) return name;
  if (series.length === 0) throw new Error(`run ${runId} has no metrics yet.`);
  // `loss` for `train/loss`, where it is the only one.
  const ends = series.filter((each) => each.endsWith(`/${name}`));
  if (ends.length === 1) return ends[0] ?? name;
  throw new Error(
    `run ${runId} has no metric ${JSON.stringify(name)}. Did you mean ${ends[0] ?? findNearest(name, series)}? \`lachesis metrics ${runId}\` lists them.`,
  );
}

function listLast({ final_metrics: last }: RunMetrics): string {
  const width = Math.max(...Object.keys(last).map(({ length }) => length));
  return Object.entries(last)
    .map(([name, value]) => `${cleanLine(name).padEnd(width)}  ${value === null ? '-' : formatNumber(value)}\n`)
    .join('');
}
