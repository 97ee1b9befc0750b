import { SCOPES, type Scope } from '@lachesis/protocol';
import { createToken, revokeToken, type Store } from '@lachesis/store';

/** Who calls, and how. */
export interface Credential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Stands before the path. */
  readonly pathKey?: string;
  /** What a good credential carries; undefined for one that is not good. */
  readonly grants: readonly Scope[] | undefined;
  readonly tenant: string;
  /** The only run it is good for. */
  readonly run: string | null;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`user:${token}`).toString('base64')}` });

/** Every kind of credential there is, good and bad. */
export async function makeCredentials(store: Store): Promise<Credential[]> {
  const now = await store.now();
  const make = async (tenantId: string, scopes: readonly Scope[], more: object = {}): Promise<string> =>
    (await createToken({ store, tenantId, name: scopes.join(' ') || 'nothing', scopes, ...more })).token;
  const expired = await make('a', ['admin'], { expiresAt: now - 1 });
  const revoked = await createToken({ store, tenantId: 'a', name: 'revoked', scopes: ['admin'] });
  await revokeToken({ store, tenantId: 'a', tokenId: revoked.tokenId });
  const revokedKey = await createToken({ store, tenantId: 'a', name: 'revoked', scopes: ['inference:call'] });
  await revokeToken({ store, tenantId: 'a', tokenId: revokedKey.tokenId });
  const admin = await make('a', ['admin']);
  const call = await make('a', ['inference:call']);

  const bad = (name: string, headers: Credential['headers'], pathKey?: string): Credential => ({
    ...{ name, headers, grants: undefined, tenant: 'a', run: null },
    ...(pathKey === undefined ? {} : { pathKey }),
  });
  const list: Credential[] = [
    bad('none', {}),
    bad('wrong secret', bearer(`${admin.slice(0, -4)}AAAA`)),
    bad('cut', bearer(admin.slice(0, -1))),
    bad('cut before the secret', bearer(admin.slice(0, 40))),
    bad('upper case', bearer(admin.toUpperCase())),
    bad('garbage', bearer('%00../../../etc/passwd')),
    bad('empty Bearer', { authorization: 'Bearer ' }),
    bad('a provider’s key', bearer('sk-of-a-provider')),
    bad('the name of a trajectory', bearer('t:ticket')),
    bad('expired', bearer(expired)),
    bad('expired, own header', { 'x-lachesis-token': expired }),
    bad('revoked', bearer(revoked.token)),
    bad('revoked as Basic', basic(revoked.token)),
    bad('revoked, own header', { 'x-lachesis-token': revoked.token }),
    bad('Digest', { authorization: `Digest ${admin}` }),
    bad('Basic without a password', { authorization: `Basic ${Buffer.from(admin).toString('base64')}` }),
    bad('bad own header before a good Authorization', { ...bearer(admin), 'x-lachesis-token': 'lch_no' }),
    bad('an unknown key in the path', {}, 'lch_unknown'),
    bad('a revoked key in the path', {}, revokedKey.token),
    bad('a bad token before a good key in the path', bearer(revoked.token), call),
    { name: 'no scope', headers: bearer(await make('a', [])), grants: [], tenant: 'a', run: null },
  ];
  for (const tenant of ['a', 'b']) {
    for (const scope of SCOPES) {
      const token = await make(tenant, [scope]);
      const good = { grants: [scope], tenant, run: null };
      list.push({ name: `${scope} of ${tenant}`, headers: bearer(token), ...good });
      if (tenant === 'b') continue;
      list.push({ name: `${scope} as Basic`, headers: basic(token), ...good });
      list.push({ name: `${scope}, own header`, headers: { ...bearer('sk-1'), 'x-lachesis-token': token }, ...good });
      list.push({ name: `${scope} in the path`, headers: {}, pathKey: token, ...good });
    }
  }
  for (const scope of SCOPES) {
    const token = await make('a', [scope], { run: 'other' });
    list.push({ name: `${scope} for another run`, headers: bearer(token), grants: [scope], tenant: 'a', run: 'other' });
  }
  const own = await make('a', ['env:push', 'view'], { run: 'matrix' });
  list.push({
    name: 'a run of its own',
    headers: bearer(own),
    grants: ['env:push', 'view'],
    tenant: 'a',
    run: 'matrix',
  });
  list.push({
    ...{ name: 'two scopes in the path', headers: {}, pathKey: await make('a', ['inference:call', 'view']) },
    ...{ grants: ['inference:call', 'view'], tenant: 'a', run: null },
  });
  return list;
}
