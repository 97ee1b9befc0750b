import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { findOrCreateRun, findRun, listRuns } from './find-or-create-run.ts';

describeOnEachDialect('a run', (createTarget) => {
  it('is one for each name and tenant, however many ask at once', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const other = await target.open();
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        findOrCreateRun({ store: index % 2 === 0 ? store : other, tenantId: 't', name: 'default' }),
      ),
    );
    expect(new Set(asked.map(({ runId }) => runId)).size).toBe(1);
    const elsewhere = await findOrCreateRun({ store, tenantId: 'u', name: 'default' });
    expect(elsewhere.runId).not.toBe(asked[0]?.runId);
    expect(await listRuns({ store, tenantId: 't' })).toEqual([asked[0]]);
    expect(await findRun({ store, tenantId: 't', name: 'unknown' })).toBeUndefined();
  });
});
