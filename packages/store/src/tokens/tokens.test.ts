import { createIdSource } from '@lachesis/protocol';
import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createToken } from './create-token.ts';
import { findToken, findTokens } from './find-token.ts';
import { countTokens, listTokens } from './list-tokens.ts';
import { noteTokenUse } from './note-token-use.ts';
import { createProcessToken, endProcessTokens, renewProcessToken } from './process-tokens.ts';
import { revokeToken } from './revoke-token.ts';
import { rotateToken } from './rotate-token.ts';
import { createSessionCode, openSession, renewSession } from './sessions.ts';

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
      kind: 'person',
      run: null,
      lastUsedAt: null,
    });
  });

  it('can name one run, and a process they were minted for, which closes no server', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const given = { store, tenantId: 't', name: 'env', scopes: ['env:push'], kind: 'process', run: 'abc' } as const;
    const { token } = await createToken(given);
    expect(await findToken({ store, token })).toMatchObject({ kind: 'process', run: 'abc' });
    expect(await countTokens({ store })).toBe(0);
  });

  it.each(['..', '', 'a\nb', '../x', 'x'.repeat(101)])('are not made for a tenant or a run called %j', async (name) => {
    await using target = await createTarget();
    const store = await target.open();
    const given = { store, name: 'x', scopes: [] };
    await expect(createToken({ ...given, tenantId: name })).rejects.toMatchObject({ code: 'invalid' });
    await expect(createToken({ ...given, tenantId: 't', run: name })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('of a process end with it, and live as long as somebody renews them', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const key = { store, tenantId: 't', run: 'abc', role: 'env' };
    const make = (facts: object) =>
      createProcessToken({ ...key, instanceId: '1', scopes: ['env:push'], lifetimeMs: 60_000, ...facts });
    const [first, second] = [await make({}), await make({ instanceId: '2' })];
    const [trainer, elsewhere] = [await make({ role: 'trainer' }), await make({ run: 'other' })];
    const late = await make({ instanceId: '3', lifetimeMs: -1 });
    const good = async () => {
      const all = [first, second, trainer, elsewhere, late];
      return await Promise.all(all.map(async ({ token }) => (await findToken({ store, token })) !== undefined));
    };
    expect(await good()).toEqual([true, true, true, true, false]);
    expect(await renewProcessToken({ ...key, instanceId: '3', lifetimeMs: 60_000 })).toBe(true);
    expect(await good()).toEqual([true, true, true, true, true]);
    await endProcessTokens({ ...key, exceptInstanceId: '2' });
    expect(await good()).toEqual([false, true, true, true, false]);
    expect(await renewProcessToken({ ...key, instanceId: '1', lifetimeMs: 60_000 })).toBe(false);
    await endProcessTokens({ store, tenantId: 'someone-else', run: 'abc' });
    expect(await good()).toEqual([false, true, true, true, false]);
    await endProcessTokens({ store, tenantId: 't', run: 'abc' });
    expect(await good()).toEqual([false, false, false, true, false]);
  });

  it('say when they were last used, written once a minute', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { tokenId } = await createToken({ store, tenantId: 't', name: 'a', scopes: [] });
    const readUse = async () => (await listTokens({ store, tenantId: 't' }))[0]?.lastUsedAt;
    await noteTokenUse({ store, tenantId: 't', tokenId });
    const first = await readUse();
    expect(first).toBeGreaterThan((await store.now()) - 60_000);
    await noteTokenUse({ store, tenantId: 't', tokenId });
    expect(await readUse()).toBe(first);
    await store.db
      .updateTable('tokens')
      .set({ last_used_at: Number(first) - 61_000 })
      .execute();
    await noteTokenUse({ store, tenantId: 't', tokenId });
    expect(await readUse()).toBeGreaterThanOrEqual(Number(first));
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

  it('are rotated: the new one may do the same, the old one ends after the overlap', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const now = await store.now();
    const base = { store, tenantId: 't', scopes: ['view'], run: 'r1', ids: createIdSource() };
    const old = await createToken({ ...base, name: 'reader', expiresAt: now + 10_000_000 });
    const rotated = await rotateToken({ store, tenantId: 't', tokenId: old.tokenId, overlapMs: 60_000 });
    expect(rotated.oldExpiresAt).toBeGreaterThanOrEqual(now + 60_000);
    expect(rotated.oldExpiresAt).toBeLessThan(now + 120_000);
    const [before, after] = await Promise.all([old, rotated].map(({ token }) => findToken({ store, token })));
    expect(before).toMatchObject({ expiresAt: rotated.oldExpiresAt });
    expect(after).toMatchObject({ name: 'reader', scopes: ['view'], run: 'r1', tenantId: 't' });
    expect(Math.abs((after?.expiresAt ?? 0) - now - 10_000_000)).toBeLessThan(5_000);
    // One that ends sooner than the overlap is not made to last longer.
    const short = await createToken({ ...base, name: 'short', expiresAt: now + 30_000 });
    expect(await rotateToken({ store, tenantId: 't', tokenId: short.tokenId, overlapMs: 60_000 })).toMatchObject({
      oldExpiresAt: now + 30_000,
    });
    const rotate = (tokenId: string, tenantId = 't') => rotateToken({ store, tenantId, tokenId, overlapMs: 0 });
    await expect(rotate(old.tokenId, 'someone-else')).rejects.toMatchObject({ code: 'not-found' });
    await revokeToken({ store, tenantId: 't', tokenId: old.tokenId });
    await expect(rotate(old.tokenId)).rejects.toMatchObject({ code: 'conflict' });
    await rotate(rotated.tokenId);
    expect(await findToken({ store, token: rotated.token })).toBeUndefined();
  });

  it('of a page are opened once with a code, by one of those who have it', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const base = { store, tenantId: 't', run: null };
    const { token } = await createToken({ ...base, name: 'ada', scopes: ['view', 'feedback:write'] });
    const maker = (await findToken({ store, token }))!;
    const { code } = await createSessionCode({ store, maker, lifetimeMs: 60_000 });
    expect(code).toMatch(/^[A-Za-z0-9_-]{22}$/);
    // A code is no token, whatever it is dressed up as, and is stored nowhere.
    expect(await findToken({ store, token: code })).toBeUndefined();
    expect(JSON.stringify(await store.db.selectFrom('tokens').selectAll().execute())).not.toContain(code);
    expect(await listTokens({ store, tenantId: 't' })).toHaveLength(1);
    const opened = await Promise.all([1, 2, 3].map(() => openSession({ store, code, lifetimeMs: 60_000 })));
    const sessions = opened.filter((session) => session !== undefined);
    expect(sessions).toHaveLength(1);
    expect(await openSession({ store, code, lifetimeMs: 60_000 })).toBeUndefined();
    const session = sessions[0]!;
    expect(await findToken({ store, token: session.token })).toMatchObject({
      ...{ tenantId: 't', kind: 'session', scopes: ['view', 'feedback:write'], expiresAt: session.expiresAt },
    });
    // They close no server, and are not made anew by rotating.
    expect(await countTokens({ store })).toBe(1);
    await expect(rotateToken({ store, tenantId: 't', tokenId: session.tokenId, overlapMs: 0 })).rejects.toMatchObject({
      code: 'conflict',
    });
    // What a page hands on is of who opened it, and ends with that one's token.
    const held = (await findToken({ store, token: session.token }))!;
    const next = await createSessionCode({ store, maker: held, lifetimeMs: 60_000 });
    const second = (await openSession({ store, code: next.code, lifetimeMs: 60_000 }))!;
    expect(await findToken({ store, token: second.token })).toMatchObject({ kind: 'session' });
    const late = await createSessionCode({ store, maker: held, lifetimeMs: 60_000 });
    await revokeToken({ store, tenantId: 't', tokenId: maker.tokenId });
    for (const { token: text } of [session, second]) expect(await findToken({ store, token: text })).toBeUndefined();
    expect(await openSession({ store, code: late.code, lifetimeMs: 60_000 })).toBeUndefined();
  });

  it('are found together as each alone, in their order', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const open = async (name: string, tenantId: string) => {
      const { token, tokenId } = await createToken({ store, tenantId, name, scopes: ['view'] });
      const { code } = await createSessionCode({
        store,
        maker: (await findToken({ store, token }))!,
        lifetimeMs: 60_000,
      });
      return { token, tokenId, session: (await openSession({ store, code, lifetimeMs: 60_000 }))!.token };
    };
    const [ada, bob] = [await open('ada', 't'), await open('bob', 'u')];
    const wrong = `${ada.token.slice(0, -43)}${'x'.repeat(43)}`;
    const asked = [bob.session, 'no token', ada.token, wrong, bob.token, ada.session, ada.session];
    const names = async () =>
      (await findTokens({ store, tokens: asked })).map((found) => found && [found.tenantId, found.kind]);
    expect(await names()).toEqual([
      ...[['u', 'session'], undefined, ['t', 'person'], undefined],
      ...[
        ['u', 'person'],
        ['t', 'session'],
        ['t', 'session'],
      ],
    ]);
    await revokeToken({ store, tenantId: 't', tokenId: ada.tokenId });
    expect(await names()).toEqual([
      ['u', 'session'],
      undefined,
      undefined,
      undefined,
      ['u', 'person'],
      undefined,
      undefined,
    ]);
    const many = await findTokens({ store, tokens: [...Array.from({ length: 2_500 }, () => 'none'), bob.token] });
    expect([many.length, many.at(-1)?.name]).toEqual([2_501, 'bob']);
  });

  it('of a page end by themselves, unless they are used', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { token } = await createToken({ store, tenantId: 't', name: 'ada', scopes: ['view'] });
    const maker = (await findToken({ store, token }))!;
    const makeCode = async (lifetimeMs: number) => (await createSessionCode({ store, maker, lifetimeMs })).code;
    for (const code of [await makeCode(-1), 'x'.repeat(22), '', 'x', token]) {
      expect(await openSession({ store, code, lifetimeMs: 60_000 })).toBeUndefined();
    }
    const ended = (await openSession({ store, code: await makeCode(60_000), lifetimeMs: -1 }))!;
    const open = (await openSession({ store, code: await makeCode(60_000), lifetimeMs: 60_000 }))!;
    for (const { tokenId } of [ended, open])
      await renewSession({ store, tenantId: 't', tokenId, lifetimeMs: 3_600_000 });
    expect(await findToken({ store, token: ended.token })).toBeUndefined();
    expect((await findToken({ store, token: open.token }))?.expiresAt).toBeGreaterThan(open.expiresAt + 3_000_000);
    // What has ended is not kept.
    await makeCode(60_000);
    const kinds = (await store.db.selectFrom('tokens').select('kind').orderBy('kind').execute()).map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['person', 'session', 'session-code']);
  });
});
