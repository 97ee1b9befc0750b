import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { listMetricSeries, readMetricSeries, recordMetricPoints } from './metric-points.ts';

describeOnEachDialect('metric points', (createTarget) => {
  it('are kept once, in the order of their steps', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const scope = { store, tenantId: 't', runId: 'r' };
    const points = Array.from({ length: 2_500 }, (_, index) => ({
      series: 'train/loss',
      step: 2_500 - index,
      at: 1_000,
      value: index / 3,
    }));
    await recordMetricPoints({ ...scope, points });
    await recordMetricPoints({ ...scope, points: [...points.slice(0, 10), { ...points[0]!, value: 7 }] });
    const read = await readMetricSeries({ ...scope, series: 'train/loss', afterStep: 1 });
    expect(read.map(({ step }) => step)).toEqual(Array.from({ length: 2_499 }, (_, index) => index + 2));
    expect(read.at(-1)?.value).toBe(7);
    expect(read.at(-2)?.value).toBe(1 / 3);
  });

  it('that are no numbers are null, and no point is no work', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const scope = { store, tenantId: 't', runId: 'r' };
    await recordMetricPoints({ ...scope, points: [] });
    const values = [Number.NaN, Number.POSITIVE_INFINITY, null, 0];
    await recordMetricPoints({
      ...scope,
      points: values.map((value, step) => ({ series: 'reward/mean', step, at: 1, value })),
    });
    const read = await readMetricSeries({ ...scope, series: 'reward/mean' });
    expect(read.map(({ value }) => value)).toEqual([null, null, null, 0]);
    expect(await listMetricSeries(scope)).toEqual(['reward/mean']);
    expect(await listMetricSeries({ ...scope, tenantId: 'u' })).toEqual([]);
  });
});
