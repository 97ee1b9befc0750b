import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { listMetricRows, readMetricEnds } from './metric-ends.ts';
import { recordMetricPoints } from './metric-points.ts';

describeOnEachDialect('who follows a run', (createTarget) => {
  it('is told the last point of every series', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    expect(await readMetricEnds(scope)).toEqual([]);
    const points = [1, 2, 10].map((step) => ({ series: 'reward/mean', step, at: step, value: step / 2 }));
    const again = { series: 'reward/mean', step: 10, at: 11, value: 7 };
    await recordMetricPoints({ ...scope, points: [again, ...points, { series: 'z', step: 3, at: 1, value: null }] });
    await recordMetricPoints({ ...scope, runId: 'other', points });
    expect(await readMetricEnds(scope)).toEqual([again, { series: 'z', step: 3, at: 1, value: null }]);
  });

  it('gets every point once, whatever steps the series have', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 't', runId: 'r' };
    const points = [
      ...Array.from({ length: 350 }, (_, index) => ({ series: 'a', step: index, at: 1, value: index })),
      ...Array.from({ length: 9 }, (_, index) => ({ series: 'eval', step: index * 1_000, at: 2, value: index })),
    ];
    await recordMetricPoints({ ...scope, points });
    const seen = [];
    for (let afterStep = -1; ;) {
      const rows = await listMetricRows({ ...scope, afterStep });
      if (rows.length === 0) break;
      seen.push(...rows);
      afterStep = rows.at(-1)?.step ?? afterStep;
    }
    expect(seen).toHaveLength(points.length);
    expect(seen.map(({ step }) => step)).toEqual(points.map(({ step }) => step).toSorted((a, b) => a - b));
    expect(await listMetricRows({ ...scope, afterStep: 8_000 })).toEqual([]);
  });
});
