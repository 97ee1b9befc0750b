import { describe, expect, it } from 'vitest';
import { Authenticator, type TokenDirectory } from './authenticate.ts';
import { LOCAL_PRINCIPAL, type Principal } from './principal.ts';

function createGuard(tokens: Record<string, Principal> = {}) {
  const seen = { finds: 0, counts: 0 };
  let now = 0;
  const directory: TokenDirectory = {
    find: async (token) => {
      seen.finds += 1;
      return tokens[token] ?? null;
    },
    count: async () => {
      seen.counts += 1;
      return Object.keys(tokens).length;
    },
  };
  const authenticator = new Authenticator({ directory, monotonic: () => now });
  return { authenticator, tokens, seen, pass: (ms: number) => void (now += ms) };
}

const pusher: Principal = { tenantId: 'a', scopes: ['env:push'], run: null, tokenId: 'one' };

describe('a server without tokens', () => {
  it('takes everybody for the local principal', async () => {
    expect(await createGuard().authenticator.authenticate(null)).toBe(LOCAL_PRINCIPAL);
  });

  it('does not take a token it does not know for nothing', async () => {
    await expect(createGuard().authenticator.authenticate('guess')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('asks once whether it is open for all who come while it asks', async () => {
    const { authenticator, seen, pass } = createGuard();
    await Promise.all(Array.from({ length: 500 }, () => authenticator.authenticate(null)));
    expect(seen.counts).toBe(1);
    pass(1_001);
    await Promise.all(Array.from({ length: 500 }, () => authenticator.authenticate(null)));
    expect(seen.counts).toBe(2);
  });

  it('closes within a second of its first token, for good', async () => {
    const { authenticator, tokens, pass, seen } = createGuard();
    await authenticator.authenticate(null);
    tokens['t'] = pusher;
    pass(1_001);
    await expect(authenticator.authenticate(null)).rejects.toMatchObject({ code: 'unauthorized' });
    delete tokens['t'];
    pass(10_000);
    await expect(authenticator.authenticate(null)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(seen.counts).toBe(2);
  });
});

describe('a server with tokens', () => {
  it('knows who a token stands for', async () => {
    expect(await createGuard({ t: pusher }).authenticator.authenticate('t')).toBe(pusher);
  });

  it('refuses a call without one, and says how to send it', async () => {
    await expect(createGuard({ t: pusher }).authenticator.authenticate(null)).rejects.toMatchObject({
      code: 'unauthorized',
      hint: expect.stringContaining('Authorization: Bearer'),
    });
  });

  it('forgets a revoked token within a second', async () => {
    const { authenticator, tokens, pass, seen } = createGuard({ t: pusher });
    await authenticator.authenticate('t');
    delete tokens['t'];
    await authenticator.authenticate('t');
    expect(seen.finds).toBe(1);
    pass(1_001);
    await expect(authenticator.authenticate('t')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('remembers guesses in bounded memory', async () => {
    const { authenticator, seen } = createGuard({ t: pusher });
    for (let guess = 0; guess < 10_002; guess++) await authenticator.authenticate(`g${guess}`).catch(() => undefined);
    await authenticator.authenticate('g10001').catch(() => undefined);
    expect(seen.finds).toBe(10_002);
    await authenticator.authenticate('g0').catch(() => undefined);
    expect(seen.finds).toBe(10_003);
  });
});
