import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { planBlocks } from './metric-blocks.ts';
import { readMetricChart, type MetricChartRow } from './metric-chart.ts';
import type { MetricPoint } from './metric-blocks.ts';
import { recordMetricPoints } from './metric-points.ts';

const series = (name: string, values: readonly (number | null)[], firstStep = 1): MetricPoint[] =>
  values.map((value, index) => ({ series: name, step: firstStep + index, at: index, value }));

const cells = (chart: readonly MetricChartRow[], name: string) =>
  chart.map(({ step, series: found }) => ({ step, ...found.get(name) }));

/** What every chart must hold, whatever it was made from. */
function expectTrue(chart: readonly MetricChartRow[], points: readonly MetricPoint[], limit: number): void {
  expect(chart.length).toBeLessThanOrEqual(limit);
  let after = -Infinity;
  for (const row of chart) {
    const inside = points.filter(({ step }) => step > after && step <= row.step);
    for (const name of new Set(points.map((point) => point.series))) {
      const mine = inside.filter((point) => point.series === name);
      const values = mine.flatMap(({ value }) => value ?? []);
      const cell = row.series.get(name);
      expect(cell !== undefined, 'present where it has a point').toBe(mine.length > 0);
      if (cell === undefined) continue;
      expect([cell.low, cell.high]).toEqual(
        values.length === 0 ? [null, null] : [Math.min(...values), Math.max(...values)],
      );
      if (values.length === 0) expect(cell.value).toBeNull();
      else
        expect(cell.value).toBeCloseTo(
          values.reduce((sum, value) => sum + value / values.length, 0),
          6,
        );
    }
    after = row.step;
  }
  // Every point lies in some row.
  expect(after).toBe(Math.max(...points.map(({ step }) => step)));
}

describeOnEachDialect('a chart', (createTarget) => {
  it('has every step of a short series, and series beside each other', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    await recordMetricPoints({ ...scope, points: [...series('a', [5, null, 7]), ...series('b', [1], 3)] });
    const chart = await readMetricChart({ ...scope, series: ['a', 'b', 'none'], points: 50 });
    expect(chart.map(({ step, series: found }) => [step, ...found.keys()].map(String).toSorted())).toEqual([
      ['1', 'a'],
      ['2', 'a'],
      ['3', 'a', 'b'],
    ]);
    expect(cells(chart, 'a')).toEqual([
      { step: 1, value: 5, low: 5, high: 5 },
      { step: 2, value: null, low: null, high: null },
      { step: 3, value: 7, low: 7, high: 7 },
    ]);
    expect(await readMetricChart({ ...scope, series: ['none'], points: 5 })).toEqual([]);
    expect(await readMetricChart({ ...scope, series: [], points: 5 })).toEqual([]);
    expect(await readMetricChart({ ...scope, tenantId: 'u', series: ['a'], points: 5 })).toEqual([]);
  });

  it('keeps the lowest, the highest and the mean of each stretch, however the points came', async () => {
    await using target = await createTarget();
    const store = await target.open();
    let runs = 0;
    const value = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(null, 1e6, -1e6, 0));
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 1, maxLength: 300 }),
        fc.array(value, { maxLength: 20 }),
        fc.record({
          first: fc.integer({ min: -30, max: 1_500 }),
          stride: fc.constantFrom(1, 1, 3, 40),
          limit: fc.integer({ min: 1, max: 60 }),
          pieces: fc.integer({ min: 1, max: 4 }),
        }),
        async (many, few, { first, stride, limit, pieces }) => {
          const scope = { store, tenantId: 't', runId: `run-${runs++}` };
          const spread = (points: MetricPoint[]): MetricPoint[] =>
            points.map((point) => ({ ...point, step: first + (point.step - 1) * stride }));
          const points = [...spread(series('many', many)), ...spread(series('few', few))];
          // Out of order, in pieces, and a tenth of them at first with another value.
          for (let piece = 0; piece < pieces; piece++) {
            const mine = points.filter((_, index) => (index * 7) % pieces === piece);
            const wrong = mine.filter((_, index) => index % 10 === 0).map((point) => ({ ...point, value: 9e9 }));
            await recordMetricPoints({ ...scope, points: wrong });
            await recordMetricPoints({ ...scope, points: mine.toReversed() });
          }
          expectTrue(await readMetricChart({ ...scope, series: ['many', 'few'], points: limit }), points, limit);
        },
      ),
      { numRuns: target.dialect === 'sqlite' ? 60 : 25 },
    );
  });

  it('of a long series shows a spike of one step', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    const values = Array.from({ length: 20_000 }, (_, index) => (index === 12_344 ? 1_000 : index % 3));
    await recordMetricPoints({ ...scope, points: series('loss', values) });
    const chart = await readMetricChart({ ...scope, series: ['loss'], points: 100 });
    expect(chart).toHaveLength(100);
    expect(cells(chart, 'loss').filter(({ high }) => high === 1_000)).toEqual([
      { step: 12_400, low: 0, high: 1_000, value: expect.closeTo(1 + 999 / 200, 1) },
    ]);
  });

  it('is made of numbers as large and as small as there are', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    const values = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? Number.MAX_VALUE : 5e-324));
    await recordMetricPoints({ ...scope, points: series('loss', values) });
    for (const points of [3, 20]) {
      const chart = await readMetricChart({ ...scope, series: ['loss'], points });
      expect(cells(chart, 'loss')[0]).toMatchObject({ low: 5e-324, high: Number.MAX_VALUE });
      expect(cells(chart, 'loss')[0]?.value).toBeCloseTo(Number.MAX_VALUE / 2, -300);
    }
  });

  it('has the points of two writers of the same stretch, one of which has not committed when the other comes', async () => {
    await using target = await createTarget();
    const [store, other] = [await target.open(), await target.open()];
    const scope = { store, tenantId: 't', runId: 'r' };
    await recordMetricPoints({ ...scope, points: [...series('a', [1]), ...series('a', [1], 30)] });
    const first = series('a', [100], 2);
    const { before, after } = planBlocks(scope, first);
    const insert = store.db
      .insertInto('metric_points')
      .values(first.map((point) => ({ tenant_id: 't', run_id: 'r', ...point })))
      .compile();
    let second: Promise<void> | undefined;
    await store.db.transaction().execute(async (transaction) => {
      for (const { query } of [...before, { query: insert }, ...after]) await transaction.executeQuery(query);
      second = recordMetricPoints({ ...scope, store: other, points: series('a', [-100], 5) });
      await sleep(200);
    });
    await second;
    const [row] = await readMetricChart({ ...scope, series: ['a'], points: 1 });
    expect(row?.series.get('a')).toEqual({ value: 0.5, low: -100, high: 100 });
  });

  it('has the points that an older program wrote beside the blocks', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    await recordMetricPoints({ ...scope, points: series('a', [1, 2, 3]) });
    const late = series('a', [90, -90], 500).map((point) => ({ tenant_id: 't', run_id: 'r', ...point }));
    await scope.store.db.insertInto('metric_points').values(late).execute();
    const chart = await readMetricChart({ ...scope, series: ['a'], points: 2 });
    expect(cells(chart, 'a').at(-1)).toEqual({ step: 501, value: 0, low: -90, high: 90 });
  });
});
