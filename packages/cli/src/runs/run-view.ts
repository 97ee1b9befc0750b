import type { RunMetrics, RunStatus, WhyReply } from '@lachesis/protocol';
import type { SeriesPoint } from '../terminal/render-chart.ts';

/** Everything a screen shows of a run. */
export interface RunView {
  status: RunStatus;
  /** Points by the name of their series, the oldest first. */
  series: Readonly<Record<string, readonly SeriesPoint[]>>;
  /** Who waits for whom, when the run has not moved for a while. */
  why?: WhyReply | undefined;
  /** For how long the server has not answered; what is shown is from before. */
  awayMs?: number | undefined;
}

/** What the view is made of. */
export const VIEW_SERIES = Object.freeze([
  'reward/mean',
  'train/loss',
  'train/mean_nll',
  'dpo/loss',
  'kto/loss',
  'reward_model/loss',
  'train/staleness_mean',
  'train/staleness_max',
  'train/dead_groups',
  'train/groups',
  'numerics/alarms',
  'time/step',
] as const);

/** The rows of a history, turned into one list for each series. Steps at which there was no number are left out. */
export function toSeries(history: RunMetrics['history']): Record<string, SeriesPoint[]> {
  const series: Record<string, SeriesPoint[]> = {};
  for (const row of history) {
    for (const [name, value] of Object.entries(row)) {
      if (name !== 'step' && typeof value === 'number') (series[name] ??= []).push({ step: row.step, value });
    }
  }
  return series;
}
