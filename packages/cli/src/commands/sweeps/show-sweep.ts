import type { RunComparison } from '@lachesis/protocol';
import { findControl } from '../../flags/library/find-control.ts';
import { toCurves } from '../../runs/comparison-curves.ts';
import { writeComparisonPage } from '../../runs/comparison-page.ts';
import { cleanLine } from '../../terminal/clean-text.ts';
import { CURVE_COLOURS, CURVE_MARKS, renderOverlay } from '../../terminal/render-overlay.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import type { SweepPlan } from './plan-sweep.ts';
import { printSweep, summariseSweep, sweepToJson } from './summarise-sweep.ts';
import type { SweepLine } from './sweep-files.ts';

interface ShownSweep {
  home: string;
  plan: SweepPlan;
  lines: readonly SweepLine[];
}

/** One table, and one chart: a curve for each setting, its seeds as a band. */
export async function showSweep({ json, ...shown }: ShownSweep & { json: boolean }): Promise<void> {
  if (json) {
    writeJson(sweepToJson(shown.plan, shown.lines));
    return;
  }
  process.stdout.write(printSweep(shown.plan, shown.lines));
  const comparison = await compareSweep(shown, readScreen().columns);
  if (comparison !== undefined) process.stdout.write(`\n${drawChart(shown, comparison)}\n`);
}

/** The same curves as a page that needs no other file; undefined before two runs have begun. */
export async function drawSweepPage(shown: ShownSweep): Promise<string | undefined> {
  const comparison = await compareSweep(shown, PAGE_POINTS);
  return comparison === undefined ? undefined : writeComparisonPage(comparison);
}

const PAGE_POINTS = 500;
/** As many as an address of `GET /runs/compare` holds, and a chart can tell apart. */
const MOST_RUNS = 40;

async function compareSweep({ home, plan, lines }: ShownSweep, limit: number): Promise<RunComparison | undefined> {
  const runs = summariseSweep(plan, lines)
    .rows.flatMap(({ cells }) => cells.flatMap(({ run }) => run ?? []))
    .slice(0, MOST_RUNS);
  if (runs.length < 2) return undefined;
  await using place = await findControl({ home });
  return await place.client.compareRuns(runs, { series: plan.metric, limit });
}

/** Curves are called by what they were set to, and not by the ids of their runs. */
function drawChart({ plan, lines }: ShownSweep, comparison: RunComparison): string {
  const { rows } = summariseSweep(plan, lines);
  const nameOf = (runs: string): string => {
    const row = rows.find(({ cells }) =>
      cells.some(({ run }) => run !== undefined && runs.split(/[, ]/).includes(run)),
    );
    const settings = Object.entries(row?.settings ?? {}).map(([name, value]) => `${name.split('.').at(-1)} ${value}`);
    return settings.length === 0 ? runs : settings.join(', ');
  };
  const { paint, columns } = readScreen();
  return comparison.series
    .map((series) => {
      const curves = toCurves(comparison, series).map((curve, index) => ({
        ...curve,
        name: nameOf(curve.name),
        mark: CURVE_MARKS[index % CURVE_MARKS.length] ?? '●',
        colour: CURVE_COLOURS[index % CURVE_COLOURS.length] ?? 'cyan',
      }));
      return renderOverlay(cleanLine(series.name), curves, { paint, columns }).join('\n');
    })
    .join('\n\n');
}
