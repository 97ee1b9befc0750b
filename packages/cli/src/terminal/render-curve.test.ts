import { expect, test } from 'vitest';

import { renderBar, renderCurve } from './render-curve.ts';

test('a curve fills from the ground up, and a reward above or below the axis stays on it', () => {
  expect(renderCurve([0, 0.25, 0.5, 1, 2, -1], { steps: 8, height: 2, columnWidth: 1 })).toEqual([
    '  1.0 │   ██ ',
    '  0.0 │ ▄███ ',
    '      └──────── 8 steps',
  ]);
});

test('a bar has eighths', () => {
  expect([0, 0.5, 1, 0.3125].map((reward) => renderBar(reward, 2))).toEqual(['', '█', '██', '▋']);
});
