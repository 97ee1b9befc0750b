import { hasScope, isScope, SCOPES, type Scope } from '@lachesis/protocol';
import { revokeToken } from '@lachesis/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../http/route.ts';
import { createApiBench, makeToken, type ApiBench } from './bench.fixture.ts';

/** Who calls, and how; `grants` are the scopes a good credential carries, undefined for one that is not good. */
interface Credential {
  readonly name: string;
  readonly authorization: string | undefined;
  readonly grants: readonly Scope[] | undefined;
}

type Outcome = 'admitted' | 'unauthorized' | 'forbidden';

const BATCH = '0192aaaa-0000-7000-8000-000000000000';

let bench: ApiBench;
let credentials: Credential[];
const bearer = (token: string): string => `Bearer ${token}`;
const basic = (token: string): string => `Basic ${Buffer.from(`user:${token}`).toString('base64')}`;

beforeAll(async () => {
  bench = await createApiBench();
  const { store } = bench;
  const now = await store.now();
  const expired = await makeToken(store, 'a', ['admin'], { expiresAt: now - 1 });
  const revoked = await makeToken(store, 'a', ['admin']);
  await revokeToken({ store, tenantId: 'a', tokenId: revoked.tokenId });
  const good = await Promise.all(SCOPES.map(async (scope) => ({ scope, ...(await makeToken(store, 'a', [scope])) })));
  const other = await Promise.all(SCOPES.map(async (scope) => ({ scope, ...(await makeToken(store, 'b', [scope])) })));
  const none = await makeToken(store, 'a', []);
  const [first] = good;
  credentials = [
    { name: 'no credential', authorization: undefined, grants: undefined },
    { name: 'an unknown token', authorization: bearer('lat_unknown'), grants: undefined },
    {
      name: 'a right id with a wrong secret',
      authorization: bearer(`${first?.token.slice(0, -4)}AAAA`),
      grants: undefined,
    },
    { name: 'an expired token', authorization: bearer(expired.token), grants: undefined },
    { name: 'a revoked token', authorization: bearer(revoked.token), grants: undefined },
    { name: 'a revoked token as Basic', authorization: basic(revoked.token), grants: undefined },
    { name: 'another scheme', authorization: `Digest ${first?.token}`, grants: undefined },
    { name: 'a token without scopes', authorization: bearer(none.token), grants: [] },
    ...good.map(({ scope, token }) => ({ name: scope, authorization: bearer(token), grants: [scope] })),
    ...good.map(({ scope, token }) => ({ name: `${scope} as Basic`, authorization: basic(token), grants: [scope] })),
    ...other.map(({ scope, token }) => ({
      name: `${scope} of another tenant`,
      authorization: bearer(token),
      grants: [scope],
    })),
  ];
});

afterAll(() => bench[Symbol.asyncDispose]());

function pathsOf(route: Route): string[] {
  const own = route.path.replaceAll(':batch', BATCH);
  const paths = route.perRun ? [own, `/run/matrix${own === '/' ? '' : own}`] : [own];
  // The stream of events would go on for ever.
  return paths.map((path) => (route.path === '/v1/events' ? `${path}?follow=0` : path));
}

function expectedOutcome(route: Route, { grants }: Credential): Outcome {
  if (route.scope === 'public') return 'admitted';
  if (grants === undefined) return 'unauthorized';
  return hasScope(grants, route.scope) ? 'admitted' : 'forbidden';
}

function readOutcome(status: number): Outcome | `status ${number}` {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  // What an admitted caller is told about an empty body depends on the route; it is never a fault of ours.
  return status < 500 ? 'admitted' : `status ${status}`;
}

describe('every route × every credential', () => {
  it('is as the declared scope says', async () => {
    let cells = 0;
    const wrong: string[] = [];
    for (const route of bench.api.routes) {
      for (const url of pathsOf(route)) {
        for (const credential of credentials) {
          const headers = {
            host: 'localhost',
            ...(credential.authorization === undefined ? {} : { authorization: credential.authorization }),
          };
          const { statusCode } = await bench.api.app.inject({ method: route.method, url, headers });
          const outcome = readOutcome(statusCode);
          const expected = expectedOutcome(route, credential);
          cells += 1;
          if (outcome !== expected)
            wrong.push(`${route.method} ${url} with ${credential.name}: ${outcome}, not ${expected}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(cells).toBe(bench.api.routes.flatMap(pathsOf).length * credentials.length);
    expect(cells).toBeGreaterThan(1_000);
  });

  it('declares a scope on every route, and public only where nothing is told about a run', () => {
    const undeclared = bench.api.routes.filter((route) => route.scope !== 'public' && !isScope(route.scope));
    expect(undeclared).toEqual([]);
    const open = bench.api.routes.filter((route) => route.scope === 'public').map((route) => route.path);
    expect(open.sort()).toEqual(['/', '/health', '/openapi.json']);
  });

  it('serves no route that is not in the list', async () => {
    const listed = bench.api.routes.flatMap((route) =>
      route.perRun ? [route.path, `/run/:run${route.path === '/' ? '' : route.path}`] : [route.path],
    );
    const printed = bench.api.app.printRoutes({ commonPrefix: false });
    const served = [...printed.matchAll(/(\/\S*) \(/g)].map((match) => match[1]);
    expect(served.length).toBeGreaterThan(0);
    for (const path of served)
      expect(
        listed.some((known) => known.endsWith(path ?? '')),
        path,
      ).toBe(true);
  });

  it('tells a stranger nothing more than how to log in', async () => {
    const reply = await bench.api.app.inject({
      method: 'GET',
      url: '/run/matrix/v1/ledger',
      headers: { host: 'localhost' },
    });
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.json()).toMatchObject({ error: { code: 'unauthorized', hint: expect.any(String) } });
  });

  it('turns a stranger away before reading the body', async () => {
    const payload = Buffer.alloc(1024 * 1024, 0x20);
    const headers = { host: 'localhost', 'content-type': 'application/json', 'content-length': String(2 ** 33) };
    const reply = await bench.api.app.inject({ method: 'POST', url: '/scored_data', headers, payload });
    expect(reply.statusCode).toBe(401);
  });

  it('refuses foreign pages whatever token they carry', async () => {
    const authorization = credentials.find((credential) => credential.name === 'admin')?.authorization ?? '';
    for (const foreign of [{ host: 'evil.example' }, { host: 'localhost', origin: 'https://evil.example' }]) {
      const { statusCode } = await bench.api.app.inject({
        method: 'GET',
        url: '/status',
        headers: { ...foreign, authorization },
      });
      expect(statusCode).toBe(403);
    }
  });
});

describe('two tenants', () => {
  it('have a run of the same name each, and neither sees the other', async () => {
    await using own = await createApiBench();
    const [a, b] = [await makeToken(own.store, 'a', ['admin']), await makeToken(own.store, 'b', ['admin'])];
    const call = async (token: string, method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) => {
      const headers = { host: 'localhost', authorization: bearer(token), 'content-type': 'application/json' };
      const reply = await own.api.app.inject({
        method,
        url: `/run/shared${url}`,
        headers,
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      return { status: reply.statusCode, text: reply.body };
    };
    const group = {
      tokens: [
        [1, 2],
        [3, 4],
      ],
      masks: [
        [1, 2],
        [3, 4],
      ],
      scores: [0.5, 1],
    };
    await call(a.token, 'PUT', '/v1/registration', { batch_size: 2, wandb_group: 'secret-group' });
    for (let count = 0; count < 3; count++) {
      expect((await call(a.token, 'POST', '/scored_data', { ...group, scores: [count + 7, 1] })).status).toBe(200);
    }
    await call(a.token, 'POST', '/scored_data', { ...group, scores: ['NaN', 1] });
    const leased = JSON.parse((await call(a.token, 'POST', '/v1/batches', {})).text) as {
      batch: { batch_id: string; epoch: number };
    };
    const second = JSON.parse((await call(a.token, 'POST', '/v1/batches', {})).text) as typeof leased;
    expect(
      (await call(a.token, 'POST', `/v1/batches/${second.batch.batch_id}/ack`, { epoch: second.batch.epoch })).status,
    ).toBe(200);
    const ledgerOfA = (await call(a.token, 'GET', '/v1/ledger')).text;
    expect(JSON.parse(ledgerOfA)).toMatchObject({ produced: 4, leased: 1, trained: 1, balanced: true });

    const read = async (url: string) => (await call(b.token, 'GET', url)).text;
    expect(JSON.parse(await read('/v1/ledger'))).toMatchObject({ produced: 0, pending: 0, trained: 0, quarantined: 0 });
    expect(JSON.parse(await read('/status'))).toEqual({ current_step: 0, queue_size: 0 });
    expect(JSON.parse(await read('/info'))).toEqual({ batch_size: -1, max_token_len: -1 });
    expect(JSON.parse(await read('/wandb_info'))).toEqual({ group: null, project: null });
    expect(JSON.parse(await read('/latest_example'))).toMatchObject({ tokens: [], scores: [] });
    expect(JSON.parse(await read('/v1/quarantine'))).toMatchObject({ groups: [] });
    expect(JSON.parse(await read('/batch'))).toMatchObject({ status: 'error' });
    expect(await read('/v1/events?follow=0')).toBe('');
    for (const { batch } of [leased, second]) {
      const path = `/v1/batches/${batch.batch_id}`;
      for (const verb of ['ack', 'renew', 'nack']) {
        const reply = await call(b.token, 'POST', `${path}/${verb}`, {
          epoch: batch.epoch,
          ...(verb === 'nack' ? { reason: 'x' } : {}),
        });
        expect(reply.status, verb).toBe(409);
      }
      expect((await call(b.token, 'GET', `${path}/groups?epoch=${batch.epoch}`)).status).toBe(409);
    }
    await call(b.token, 'GET', '/reset_data');
    expect((await call(a.token, 'GET', '/v1/ledger')).text).toBe(ledgerOfA);
  });
});

describe('a public address', () => {
  it('is refused while no token exists', async () => {
    await expect(createApiBench({ host: '0.0.0.0' })).rejects.toThrow(/refusing to listen on 0\.0\.0\.0/);
  });

  it('is served once one does', async () => {
    await using own = await createApiBench({ host: '0.0.0.0' }, (store) => makeToken(store, 'a', ['view']));
    const reply = await own.api.app.inject({ method: 'GET', url: '/status', headers: { host: 'localhost' } });
    expect(reply.statusCode).toBe(401);
  });
});

describe('a loopback server without tokens', () => {
  it('lets this machine do everything, until the first token closes it', async () => {
    await using own = await createApiBench();
    const status = async () =>
      (await own.api.app.inject({ method: 'GET', url: '/reset_data', headers: { host: 'localhost' } })).statusCode;
    expect(await status()).toBe(200);
    await makeToken(own.store, 'a', ['view']);
    await expect.poll(status, { timeout: 5_000, interval: 100 }).toBe(401);
  });
});
