import { escapeHtml } from '@lachesis/protocol';
import type { Spread } from './spread.ts';

/** The width every drawing is made for; the page scales it. */
const WIDTH = 520;
const ROW = 26;
const LABEL = 160;
const VALUE = 132;

export interface Bar {
  label: string;
  /** In the order of the legend. */
  parts: readonly { value: number; colour: string; name: string }[];
  /** Written behind the bar. */
  note: string;
}

/** Bars that lie, one below the other. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  const room = WIDTH - LABEL - VALUE;
  const rows = bars.map(({ label, parts, note }, row) => {
    let x = LABEL;
    const y = row * ROW;
    const pieces = parts.map(({ value, colour, name }) => {
      const width = (value / most) * room;
      const piece = `<rect x="${x.toFixed(1)}" y="${y + 5}" width="${width.toFixed(1)}" height="${ROW - 10}" rx="2" fill="var(--${colour})"><title>${escapeHtml(`${label}, ${name}: ${formatNumber(value)}`)}</title></rect>`;
      x += width;
      return value > 0 ? piece : '';
    });
    const text = shorten(label);
    return `<text x="${LABEL - 10}" y="${y + 18}" text-anchor="end">${escapeHtml(text)}</text>${pieces.join('')}<text class="note" x="${(x + 8).toFixed(1)}" y="${y + 18}">${escapeHtml(note)}</text>`;
  });
  const drawing =
    bars.length === 0
      ? '<p class="none">nothing to show</p>'
      : `<svg viewBox="0 0 ${WIDTH} ${bars.length * ROW}" role="img" aria-label="${escapeHtml(title)}">${rows.join('')}</svg>`;
  const names = new Map(bars.flatMap(({ parts }) => parts.map(({ name, colour }) => [name, colour])));
  const legend =
    names.size < 2
      ? ''
      : `<p class="legend">${[...names].map(([name, colour]) => `<span><i style="background:var(--${colour})"></i>${escapeHtml(name)}</span>`).join('')}</p>`;
  return `<figure><figcaption>${escapeHtml(title)}</figcaption>${drawing}${legend}</figure>`;
}

const HEIGHT = 150;
const BOTTOM = 22;
const LEFT = 44;

/** How values are spread, with the middle and the ninth tenth. */
export function drawHistogram(title: string, spread: Spread, format: (value: number) => string = formatNumber): string {
  const { count, min, max, p50, p90, mean, histogram } = spread;
  if (count === 0)
    return `<figure><figcaption>${escapeHtml(title)}</figcaption><p class="none">nothing was measured</p></figure>`;
  const most = Math.max(...histogram);
  const room = WIDTH - LEFT - 6;
  const step = room / histogram.length;
  const floor = HEIGHT - BOTTOM;
  const bars = histogram.map((items, at) => {
    const height = (items / most) * (floor - 14);
    const low = min + ((max - min) * at) / histogram.length;
    return `<rect x="${(LEFT + at * step + 1).toFixed(1)}" y="${(floor - height).toFixed(1)}" width="${Math.max(1, Math.min(step - 2, 60)).toFixed(1)}" height="${height.toFixed(1)}" rx="2" fill="var(--main)"><title>${escapeHtml(`from ${format(low)}: ${formatNumber(items)} rows`)}</title></rect>`;
  });
  const axis = `<line x1="${LEFT}" y1="${floor}" x2="${WIDTH - 6}" y2="${floor}"/><text class="tick" x="${LEFT - 8}" y="18" text-anchor="end">${formatNumber(most)}</text><text class="tick" x="${LEFT - 8}" y="${floor}" text-anchor="end">0</text><text class="tick" x="${LEFT}" y="${HEIGHT - 5}">${escapeHtml(format(min))}</text>${max === min ? '' : `<text class="tick" x="${WIDTH - 6}" y="${HEIGHT - 5}" text-anchor="end">${escapeHtml(format(max))}</text>`}`;
  const facts = `median ${format(p50)} · 90% up to ${format(p90)} · mean ${format(mean)}`;
  return `<figure><figcaption>${escapeHtml(title)} <small>${escapeHtml(facts)}</small></figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">${bars.join('')}${axis}</svg></figure>`;
}

export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

/** Short enough for a card: 9.04M. */
export const formatCompact = (value: number): string =>
  value.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

export const formatDollars = (value: number): string =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumSignificantDigits: 4 })}`;

const LONGEST_LABEL = 22;

const shorten = (text: string): string => (text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text);
