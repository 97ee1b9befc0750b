import { escapeHtml, type RunComparison } from '@lachesis/protocol';
import { formatNumber } from '../terminal/format-number.ts';
import { describeEvaluation, toCurves, writeSetting, type ComparisonCurve } from './comparison-curves.ts';

const COLOURS = ['#0b7285', '#d9480f', '#862e9c', '#2b8a3e', '#1864ab', '#c92a2a', '#5f3dc4', '#495057'];
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 260, 64, 28, 12];

/** Several runs beside each other, as one file that needs no other. */
export function writeComparisonPage(comparison: RunComparison): string {
  const { runs, settings, evaluations } = comparison;
  const title = `Runs ${runs.map(({ run_id: id }) => id).join(', ')}`;
  const charts = comparison.series.map((series) => drawChart(series.name, toCurves(comparison, series)));
  const table = (rows: readonly (readonly string[])[]): string =>
    `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('')}</table>`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${escapeHtml(title)}</title><style>`,
    'body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2em auto;padding:0 1em;color:#212529;background:#fff}',
    'table{border-collapse:collapse}td{border-bottom:1px solid #dee2e6;padding:.2em .8em .2em 0;vertical-align:top}',
    'svg{max-width:100%;height:auto}text{font:12px system-ui,sans-serif;fill:#495057}li{list-style:none}ul{padding:0}',
    `</style></head><body><h1>${escapeHtml(title)}</h1>`,
    table([
      ['run', 'environment', 'state', 'begun'],
      ...runs.map((run) => [run.run_id, run.environment, run.status, new Date(run.created_at).toISOString()]),
    ]),
    ...charts,
    '<h2>Settings that differ</h2>',
    settings.length === 0
      ? '<p>None: the runs were started alike.</p>'
      : table([
          ['', ...runs.map(({ run_id: id }) => id)],
          ...settings.map(({ name, values }) => [name, ...values.map(writeSetting)]),
        ]),
    '<h2>Evaluation</h2>',
    evaluations.length === 0
      ? '<p>Nothing that two of the runs were both evaluated on.</p>'
      : `<ul>${evaluations.map((each) => `<li>${escapeHtml(describeEvaluation(each))}</li>`).join('')}</ul>`,
    '</body></html>\n',
  ].join('\n');
}

function drawChart(name: string, curves: readonly ComparisonCurve[]): string {
  const heading = `<h2>${escapeHtml(name)}</h2>`;
  const points = curves.flatMap((curve) => curve.points);
  if (points.length === 0) return `${heading}<p>No value yet.</p>`;
  const edges = curves.flatMap(({ band = [] }) => band.flatMap(({ low, high }) => [low, high]));
  const values = [...points.map(({ value }) => value), ...edges];
  const steps = points.map(({ step }) => step);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [from, to] = [Math.min(...steps), Math.max(...steps)];
  const x = (step: number): string =>
    (LEFT + (to === from ? 0.5 : (step - from) / (to - from)) * (WIDTH - LEFT - 8)).toFixed(1);
  const y = (value: number): string =>
    (TOP + (high === low ? 0.5 : (high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const path = (line: readonly (readonly [number, number])[]): string =>
    line.map(([step, value]) => `${x(step)},${y(value)}`).join(' ');
  const drawn = curves.flatMap(({ points: own, band = [] }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const edge = [
      ...band.map(({ step, high: top }) => [step, top] as const),
      ...band.toReversed().map(({ step, low: bottom }) => [step, bottom] as const),
    ];
    return [
      ...(edge.length === 0 ? [] : [`<polygon points="${path(edge)}" fill="${colour}" fill-opacity="0.15"/>`]),
      `<polyline points="${path(own.map(({ step, value }) => [step, value] as const))}" fill="none" stroke="${colour}" stroke-width="1.6"/>`,
    ];
  });
  const label = (at: { x: number; y: number; anchor: string }, text: string): string =>
    `<text x="${at.x}" y="${at.y}" text-anchor="${at.anchor}">${escapeHtml(text)}</text>`;
  const legend = curves.map(
    ({ name: curve, points: own }, index) =>
      `<li><span style="color:${COLOURS[index % COLOURS.length]}">━</span> ${escapeHtml(curve)}${own.length === 0 ? '' : `, last ${formatNumber(own.at(-1)?.value ?? 0)}`}</li>`,
  );
  return [
    heading,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escapeHtml(name)}">`,
    `<line x1="${LEFT}" y1="${TOP}" x2="${LEFT}" y2="${HEIGHT - BOTTOM}" stroke="#adb5bd"/>`,
    `<line x1="${LEFT}" y1="${HEIGHT - BOTTOM}" x2="${WIDTH - 8}" y2="${HEIGHT - BOTTOM}" stroke="#adb5bd"/>`,
    label({ x: LEFT - 6, y: TOP + 8, anchor: 'end' }, formatNumber(high)),
    label({ x: LEFT - 6, y: HEIGHT - BOTTOM, anchor: 'end' }, formatNumber(low)),
    label({ x: LEFT, y: HEIGHT - 8, anchor: 'start' }, `step ${from}`),
    label({ x: WIDTH - 8, y: HEIGHT - 8, anchor: 'end' }, `step ${to}`),
    ...drawn,
    `</svg><ul>${legend.join('')}</ul>`,
  ].join('\n');
}
