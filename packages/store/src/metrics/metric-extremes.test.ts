import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { readMetricExtremes } from './metric-extremes.ts';
import { recordMetricPoints } from './metric-points.ts';

describeOnEachDialect('the lowest and the highest of a stretch', (createTarget) => {
  it('are named with their steps, the first of equals', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    const values = [9, 3, null, 1, 7, 1, 7, -5];
    await recordMetricPoints({
      ...scope,
      points: values.map((value, index) => ({ series: 'a', step: index + 1, at: index, value })),
    });
    const read = (from: number, to: number, series = 'a') => readMetricExtremes({ ...scope, series, from, to });
    expect(await read(2, 7)).toEqual({ lowest: { step: 4, value: 1 }, highest: { step: 5, value: 7 } });
    expect(await read(1, 8)).toEqual({ lowest: { step: 8, value: -5 }, highest: { step: 1, value: 9 } });
    expect([await read(3, 3), await read(20, 30), await read(1, 8, 'b')]).toEqual([undefined, undefined, undefined]);
  });
});
