import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPaint } from './paint.ts';
import { textWidth } from './text-width.ts';
import { renderChart } from './render-chart.ts';
import { renderSparkline } from './render-sparkline.ts';

const paint = createPaint(false);

it('draws a line from the lowest to the highest value, with both axes', () => {
  const points = [0, 1, 2, 3].map((step) => ({ step, value: step }));
  expect(renderChart('reward', points, { paint, columns: 40, height: 4 })).toEqual([
    'reward  last 3  lowest 0, highest 3',
    '    3 ┤   ╭',
    '      ┤  ╭╯',
    '1.500 ┤ ╭╯',
    '    0 ┤─╯',
    '      └────',
    '       steps 0 to 3',
  ]);
});

it('draws what never changes, one point, and none', () => {
  const flat = renderChart(
    'a',
    [1, 2].map((step) => ({ step, value: 5 })),
    { paint, columns: 40, height: 3 },
  );
  expect(flat.slice(1, 4)).toEqual(['5 ┤', '  ┤──', '  ┤']);
  expect(renderChart('a', [{ step: 4, value: 1 }], { paint, columns: 40 }).at(-1)).toBe('   step 4');
  expect(renderChart('a', [], { paint, columns: 40 })).toEqual(['a  no value yet']);
});

it('fits the screen and has one mark in every column, whatever the numbers', () => {
  const values = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 60, max: 150 }), (numbers, columns) => {
      const points = numbers.map((value, step) => ({ step, value }));
      const lines = renderChart('a', points, { paint, columns });
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      const plot = lines.slice(1, -2).map((line) => line.slice(line.indexOf('┤') + 1));
      const width = Math.max(...plot.map(({ length }) => length));
      for (let column = 0; column < width; column += 1) {
        expect(plot.some((line) => (line[column] ?? ' ') !== ' ')).toBe(true);
      }
      expect(renderSparkline(numbers, columns)).toHaveLength(Math.min(columns, numbers.length));
    }),
  );
});
