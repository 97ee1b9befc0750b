import { expect, test } from 'vitest';
import { combineMetrics } from './combine-outputs.ts';
import { splitDatums } from './split-datums.ts';

test('metrics are joined by the reduction in their name', () => {
  const chunks = [
    {
      datums: 2,
      metrics: {
        'loss:sum': 3,
        'mfu:mean': 0.2,
        'a:min': 4,
        'a:max': 4,
        'x:slack': 1,
        'h:hash2': 2,
        'u:unique': 7,
        'l:last': 1,
        plain: 1,
        'only:sum': 1,
      },
    },
    {
      datums: 1,
      metrics: {
        'loss:sum': 1.5,
        'mfu:mean': 0.5,
        'a:min': 1,
        'a:max': 9,
        'x:slack': 4,
        'h:hash2': 3,
        'u:unique': 8,
        'l:last': 2,
        plain: 2,
      },
    },
  ];
  expect(combineMetrics(chunks)).toEqual({
    'loss:sum': 4.5,
    'mfu:mean': expect.closeTo(0.3, 10),
    'a:min': 1,
    'a:max': 9,
    'x:slack': 2,
    'h:hash2': 5,
    'u:unique': 7,
    'u:unique_1': 8,
    'l:last': 2,
  });
  expect(combineMetrics([])).toEqual({});
});

test('a batch is split by number and by bytes, and a datum larger than the limit goes alone', () => {
  const datum = (length: number) => ({ tokens: new Int32Array(length), inputs: {} });
  const sizes = (lengths: number[], limits: { maxDatums: number; maxBytes: number }) =>
    splitDatums(lengths.map(datum), limits).map(({ datums }) => datums.map(({ tokens }) => tokens.length));
  expect(sizes([1, 2, 3, 4, 5], { maxDatums: 2, maxBytes: 1e6 })).toEqual([[1, 2], [3, 4], [5]]);
  expect(sizes([100, 100, 5000, 100], { maxDatums: 9, maxBytes: 1000 })).toEqual([[100, 100], [5000], [100]]);
});
