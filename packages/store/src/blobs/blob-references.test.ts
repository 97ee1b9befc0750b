import { expect, it } from 'vitest';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { addBlobReference, dropBlobReference, isBlobReferenced } from './blob-references.ts';

describeOnEachDialect('references to a blob', (createTarget) => {
  it('are counted for each tenant, and any of them holds the blob', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const digest = 'd'.repeat(64);
    const add = (tenantId: string) => addBlobReference({ store, tenantId, digest, bytes: 5 });
    const drop = (tenantId: string) => dropBlobReference({ store, tenantId, digest });
    expect(await isBlobReferenced({ store, digest })).toBe(false);
    await store.commit({ statements: [add('a'), add('a'), add('b')] });
    await store.commit({ statements: [drop('a'), drop('b')] });
    expect(await isBlobReferenced({ store, digest })).toBe(true);
    await store.commit({ statements: [drop('a')] });
    expect(await isBlobReferenced({ store, digest })).toBe(false);
    await expect(store.commit({ statements: [drop('a')] })).rejects.toSatisfy(StaleWriteError.isInstance);
  });
});
