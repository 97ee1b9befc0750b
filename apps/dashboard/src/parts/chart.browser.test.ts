import '../../design.css';
import './parts.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { makeCurve } from '../../bench/make-data.ts';
import { mountChart, type ChartOptions } from './chart.ts';

function mount(count: number, options: Partial<ChartOptions> = {}) {
  const place = document.createElement('div');
  place.className = 'chart';
  place.style.width = '800px';
  document.body.replaceChildren(place);
  return { place, chart: mountChart(place, makeCurve(count), { cursor: 'test', ...options }) };
}

/** Pixels that are not empty. */
function countDrawn(place: Element): number {
  const canvas = place.querySelector('canvas');
  const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  let drawn = 0;
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) drawn += 1;
  return drawn;
}

afterEach(() => document.body.replaceChildren());

test('a click opens the step under it', async () => {
  const opened: number[] = [];
  const { place } = mount(101, { onOpen: (step) => opened.push(step) });
  const over = place.querySelector<HTMLElement>('.u-over') as HTMLElement;
  // It is laid out when its mounting is over.
  await expect.poll(() => over.clientWidth).toBeGreaterThan(0);
  const { clientWidth: width, clientHeight: height } = over;
  await userEvent.click(page.elementLocator(over), { position: { x: width / 4, y: height / 2 } });
  expect(opened).toEqual([25]);
});

test('the band is drawn, and is not where it is switched off', async () => {
  const { place, chart } = mount(50);
  await expect.poll(() => countDrawn(place)).toBeGreaterThan(0);
  const withBand = countDrawn(place);
  chart.update({ ...makeCurve(50), hasBand: false });
  await expect.poll(() => countDrawn(place)).toBeLessThan(withBand);
});

test('it keeps to the width of its place', async () => {
  const { place } = mount(50);
  place.style.width = '300px';
  await expect.poll(() => place.querySelector('canvas')?.getBoundingClientRect().width).toBe(300);
});

test('more lines than before are drawn by one chart', () => {
  const { place, chart } = mount(50);
  const { steps, lines } = makeCurve(60);
  chart.update({ steps, lines: [...lines, ...lines] });
  expect(place.querySelectorAll('canvas')).toHaveLength(1);
  chart.destroy();
  expect(place.childElementCount).toBe(0);
});

test('a label of many digits is not cut off at the edge', async () => {
  const { place, chart } = mount(50);
  place.style.width = '220px';
  const steps = Array.from({ length: 20 }, (_, step) => step);
  chart.update({ steps, lines: [{ name: 'drift', values: steps.map((step) => -0.0001 - step / 1_000_000) }] });
  const canvas = place.querySelector('canvas') as HTMLCanvasElement;
  const drawnAt = (x: number): number => {
    const { data } = canvas.getContext('2d')!.getImageData(x, 0, 1, canvas.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  };
  await expect.poll(() => Array.from({ length: 40 }, (_, x) => drawnAt(x)).some((drawn) => drawn > 0)).toBe(true);
  expect([drawnAt(0), drawnAt(1)]).toEqual([0, 0]);
});
