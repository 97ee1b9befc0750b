import type { RunComparison } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/paint.ts';
import { writeComparisonPage } from './comparison-page.ts';
import { renderComparison } from './render-comparison.ts';

const run = (id: string, group: number) => ({
  ...{ run_id: id, environment: 'digits', status: 'completed' as const, created_at: 0, group },
});
const comparison: RunComparison = {
  runs: [run('aaaaaaaa', 0), run('bbbbbbbb', 1), run('cccccccc', 1)],
  settings: [{ name: 'tinker.learning_rate', values: [0.001, 0.002, null] }],
  series: [
    {
      name: 'reward/mean',
      runs: {
        aaaaaaaa: [
          { step: 1, value: 0 },
          { step: 20, value: 1 },
        ],
        bbbbbbbb: [],
        cccccccc: [],
      },
      bands: [{ group: 1, points: [{ step: 1, mean: 0, low: -0.5, high: 0.5, runs: 2 }] }],
    },
  ],
  known_series: ['reward/mean'],
  evaluations: [
    {
      ...{ left: 'aaaaaaaa', right: 'bbbbbbbb', paired_by: 'step', series: 'eval/mean_reward' },
      ...{ left_step: null, right_step: null, items: 4, difference: 0.25, interval: [-0.1, 0.6], better: 3, worse: 1 },
    },
  ],
};

test('curves lie over each other, seeds are a band, and what is paired is said', () => {
  const text = renderComparison(comparison, { paint: createPaint(false), columns: 60 });
  expect(text).toContain('● aaaaaaaa  last 1');
  expect(text).toContain('○ bbbbbbbb, cccccccc (2 seeds, mean and range)  last 0');
  // Both curves begin at 0.
  expect(text).toContain('✱');
  expect(text).toContain('░');
  expect(text).toContain('steps 1 to 20');
  expect(text).toMatch(/tinker\.learning_rate\s+0\.001\s+0\.002\s+–/);
  expect(text).toContain('bbbbbbbb − aaaaaaaa: +0.250, 95 % −0.100 to +0.600 (paired by step: 4 steps of');
});

test('the page is one file with lines, a band and no script', () => {
  const hostile = { ...comparison, settings: [{ name: 'env.x', values: ['<script>alert(1)</script>', 1, 2] }] };
  const page = writeComparisonPage(hostile);
  expect(page.match(/<polyline /g)).toHaveLength(2);
  expect(page.match(/<polygon /g)).toHaveLength(1);
  expect(page).not.toContain('<script');
  expect(page).not.toMatch(/(?:src|href)=/);
  expect(page).not.toContain('NaN');
});

test('runs alike and without metrics say so', () => {
  const empty = { ...comparison, series: [], settings: [], evaluations: [] };
  const text = renderComparison(empty, { paint: createPaint(false), columns: 60 });
  expect(text).toContain('the runs have no metrics yet');
  expect(text).toContain('none: the runs were started alike');
  expect(text).toContain('nothing that two of the runs were both evaluated on');
  expect(writeComparisonPage(empty)).toContain('None: the runs were started alike.');
});
