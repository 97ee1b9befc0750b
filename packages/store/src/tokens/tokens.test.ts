import { createIdSource } from '@lachesis/protocol';
import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.case.ts';
import { createToken } from './create-token.ts';
import { findToken } from './find-token.ts';
import { countTokens, listTokens } from './list-tokens.ts';
import { revokeToken } from './revoke-token.ts';

describeOnEachDialect('tokens', (createTarget) => {
  it('prove who they belong to and what they may do', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { token, tokenId } = await createToken({ store, tenantId: 't', name: 'trainer', scopes: ['trainer:pull'] });
    expect(token).toMatch(/^lch_[0-9a-f-]{36}_[A-Za-z0-9_-]{43}$/);
    expect(await findToken({ store, token })).toEqual({
      tenantId: 't',
      tokenId,
      name: 'trainer',
      scopes: ['trainer:pull'],
      createdAt: expect.any(Number) as number,
      expiresAt: null,
      revokedAt: null,
    });
  });

  it('are not in the database, only their hash is', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { token } = await createToken({ store, tenantId: 't', name: 'a', scopes: [] });
    const rows = await store.db.selectFrom('tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token.slice(-43));
  });

  it('prove nothing with a wrong secret, another id, or another shape', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { token } = await createToken({ store, tenantId: 't', name: 'a', scopes: [] });
    const { token: other } = await createToken({ store, tenantId: 't', name: 'b', scopes: [] });
    const swapped = `${token.slice(0, -43)}${other.slice(-43)}`;
    for (const text of [swapped, `${token}x`, token.slice(0, -1), token.toUpperCase(), '', 'lch__', ` ${token}`]) {
      expect(await findToken({ store, token: text })).toBeUndefined();
    }
  });

  it('end when they expire by the clock of the database, or are revoked', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const now = await store.now();
    // One source: ids of two sources made in one millisecond have no order.
    const base = { store, tenantId: 't', scopes: [], ids: createIdSource() };
    const expired = await createToken({ ...base, name: 'expired', expiresAt: now - 1 });
    const valid = await createToken({ ...base, name: 'valid', expiresAt: now + 60_000 });
    expect(await findToken({ store, token: expired.token })).toBeUndefined();
    expect(await findToken({ store, token: valid.token })).toMatchObject({ name: 'valid' });
    expect(await countTokens({ store })).toBe(2);
    const revoke = (tenantId: string) => revokeToken({ store, tenantId, tokenId: valid.tokenId });
    expect(await revoke('someone-else')).toBe(false);
    expect(await revoke('t')).toBe(true);
    expect(await revoke('t')).toBe(false);
    expect(await findToken({ store, token: valid.token })).toBeUndefined();
    // Revoking the last token must not turn the server back into one that asks for none.
    expect(await countTokens({ store })).toBe(2);
    expect((await listTokens({ store, tenantId: 't' })).map(({ name }) => name)).toEqual(['expired', 'valid']);
    expect(await listTokens({ store, tenantId: 'someone-else' })).toEqual([]);
  });
});
