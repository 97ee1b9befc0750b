export interface Curve {
  readonly title: string;
  /** Mean reward by step. */
  readonly points: readonly { readonly step: number; readonly reward: number }[];
  /** Drawn as a dashed line. */
  readonly bar?: number;
  /** Things that happened after a step. */
  readonly marks?: readonly { readonly step: number; readonly label: string }[];
}

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 48;
const RIGHT = 16;
const TOP = 44;
const BOTTOM = 40;

/** A reward curve as SVG that reads on a light page and on a dark one. */
export function drawCurve({ title, points, bar, marks = [] }: Curve): string {
  const last = Math.max(2, ...points.map(({ step }) => step));
  const x = (step: number): number => round(LEFT + ((step - 1) / (last - 1)) * (WIDTH - LEFT - RIGHT));
  const y = (reward: number): number => round(TOP + (1 - reward) * (HEIGHT - TOP - BOTTOM));
  const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${style}/>`;
  const text = (at: readonly [number, number], content: string, style = ''): string =>
    `<text x="${at[0]}" y="${at[1]}" ${style}>${escape(content)}</text>`;
  const spacing = Math.max(1, Math.ceil(last / 10));
  const ticks = Array.from({ length: last }, (_, index) => index + 1).filter(
    (step) => step === 1 || step % spacing === 0,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}" font-family="system-ui, sans-serif" font-size="12" fill="#777">`,
    text([LEFT, 20], title, 'font-size="14" font-weight="600"'),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((reward) => [
      line(LEFT, y(reward), WIDTH - RIGHT, y(reward), 'stroke="#999" stroke-opacity="0.3"'),
      text([LEFT - 8, y(reward) + 4], String(reward), 'text-anchor="end"'),
    ]),
    ...ticks.map((step) => text([x(step), HEIGHT - BOTTOM + 18], String(step), 'text-anchor="middle"')),
    text([(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6], 'training step', 'text-anchor="middle"'),
    ...(bar === undefined ? [] : [line(LEFT, y(bar), WIDTH - RIGHT, y(bar), 'stroke="#3a9" stroke-dasharray="6 4"')]),
    ...marks.flatMap(({ step, label }, index) => [
      line(x(step), TOP, x(step), HEIGHT - BOTTOM, 'stroke="#c55" stroke-dasharray="2 3"'),
      text([x(step) + 4, HEIGHT - BOTTOM - 8 - 14 * (index % 3)], label, 'fill="#c55" font-size="11"'),
    ]),
    `<polyline fill="none" stroke="#36c" stroke-width="2" points="${points.map(({ step, reward }) => `${x(step)},${y(reward)}`).join(' ')}"/>`,
    ...points.map(({ step, reward }) => `<circle cx="${x(step)}" cy="${y(reward)}" r="2.5" fill="#36c"/>`),
    '</svg>',
    '',
  ].join('\n');
}

const round = (value: number): number => Math.round(value * 10) / 10;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (content: string): string => content.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
