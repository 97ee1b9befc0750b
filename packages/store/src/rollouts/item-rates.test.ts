import { expect, test } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { listItemRates, recordItemRates } from './item-rates.ts';

describeOnEachDialect('item rates', (createTarget) => {
  test('what is said last of an item holds, in its own run and environment, also when thousands are told at once', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const scope = { store, tenantId: 'local', runId: 'run', environment: 'digits' };
    const rate = (item: string, passed: number) => ({ item, rollouts: 8, passed });
    await recordItemRates({ ...scope, rates: [rate('a', 1), rate('b', 2), rate('a', 3)] });
    await recordItemRates({ ...scope, rates: [rate('b', 4.5)] });
    await recordItemRates({ ...scope, rates: [] });
    expect((await listItemRates({ ...scope, limit: 10 })).toSorted((a, b) => (a.item < b.item ? -1 : 1))).toEqual([
      rate('a', 3),
      rate('b', 4.5),
    ]);
    for (const other of [{ runId: 'another' }, { environment: 'words' }, { tenantId: 'else' }]) {
      expect(await listItemRates({ ...scope, ...other, limit: 10 })).toEqual([]);
    }
    const many = { ...scope, environment: 'many' };
    await recordItemRates({ ...many, rates: Array.from({ length: 2_500 }, (_, index) => rate(`i${index}`, 0)) });
    expect(await listItemRates({ ...many, limit: 10_000 })).toHaveLength(2_500);
    expect(await listItemRates({ ...many, limit: 7 })).toHaveLength(7);
  });
});
