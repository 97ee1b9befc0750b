import type { RunComparison } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import type { Paint } from '../terminal/paint.ts';
import { CURVE_COLOURS, CURVE_MARKS, renderOverlay } from '../terminal/render-overlay.ts';
import { describeEvaluation, toCurves, writeSetting } from './comparison-curves.ts';

const LONGEST_VALUE = 40;

/** Several runs beside each other, for a terminal. */
export function renderComparison(
  comparison: RunComparison,
  { paint, columns }: { paint: Paint; columns: number },
): string {
  const charts = comparison.series.map((series) => {
    const curves = toCurves(comparison, series).map((curve, index) => ({
      ...curve,
      mark: CURVE_MARKS[index % CURVE_MARKS.length] ?? '●',
      colour: CURVE_COLOURS[index % CURVE_COLOURS.length] ?? 'cyan',
    }));
    return renderOverlay(cleanLine(series.name), curves, { paint, columns }).join('\n');
  });
  const parts = [
    charts.length === 0 ? 'the runs have no metrics yet' : charts.join('\n\n'),
    renderSettings(comparison, paint),
    renderEvaluations(comparison, paint),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderSettings({ runs, settings }: RunComparison, paint: Paint): string {
  const title = paint.bold('settings that differ');
  if (settings.length === 0) return `${title}  ${paint.dim('none: the runs were started alike')}`;
  const rows = [
    ['', ...runs.map(({ run_id: id }) => id)],
    ...settings.map(({ name, values }) => [
      cleanLine(name),
      ...values.map((value) => cleanLine(writeSetting(value)).slice(0, LONGEST_VALUE)),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [title, ...lines].join('\n');
}

function renderEvaluations({ evaluations }: RunComparison, paint: Paint): string {
  const title = paint.bold('evaluation');
  if (evaluations.length === 0) return `${title}  ${paint.dim('nothing that two of the runs were both evaluated on')}`;
  return [title, ...evaluations.map((each) => cleanLine(describeEvaluation(each)))].join('\n');
}
