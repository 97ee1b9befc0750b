import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Authenticator } from './access/authenticate.ts';
import type { Principal } from './access/principal.ts';
import { HttpMetrics } from './metrics/http-metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';

const answer = {
  ...({ scope: 'view', summary: 'Says yes.', method: 'GET', reply: z.string() } as const),
  handle: async () => 'yes',
};
const routes: Route[] = [
  defineRoute({ ...answer, path: '/status', perRun: true }),
  defineRoute({ ...answer, path: '/runs/:id', runParameter: 'id' }),
  defineRoute({ ...answer, path: '/runs' }),
];
const one: Principal = { tenantId: 't', scopes: ['view'], run: 'one', tokenId: 'of-one' };

/** The status of each path for a token of the run `one` and for one of all runs. */
async function ask(
  run: string | undefined,
  paths: readonly string[],
  tenant?: string,
): Promise<Record<string, [number, number]>> {
  const tokens: Record<string, Principal> = { one, all: { ...one, run: null } };
  const app = createHttpServer({
    ...{ routes, run, tenant },
    authenticator: new Authenticator({
      directory: { find: async (token) => tokens[token] ?? null, count: async () => 2 },
    }),
    browserRules: { allowedHosts: new Set(['localhost']), allowedOrigins: new Set() },
    metrics: new HttpMetrics(new Registry()),
    audit: { observe: () => undefined },
    log: pino({ level: 'silent' }),
    ...{ maxBodyBytes: 100, bodyBudgetBytes: 100 },
  });
  const get = async (url: string, token: string): Promise<number> =>
    (await app.inject({ method: 'GET', url, headers: { host: 'localhost', authorization: `Bearer ${token}` } }))
      .statusCode;
  try {
    const statuses: Record<string, [number, number]> = {};
    for (const path of paths) statuses[path] = [await get(path, 'one'), await get(path, 'all')];
    return statuses;
  } finally {
    await app.close();
  }
}

test('a token of one run is refused for another run, for the default one, and for what is of all runs', async () => {
  expect(
    await ask(undefined, ['/run/one/status', '/run/two/status', '/status', '/runs/one', '/runs/two', '/runs']),
  ).toEqual({
    '/run/one/status': [200, 200],
    '/run/two/status': [403, 200],
    '/status': [403, 200],
    '/runs/one': [200, 200],
    '/runs/two': [403, 200],
    '/runs': [403, 200],
  });
});

test('a server of one run takes what its paths do not say to be about that run', async () => {
  expect(await ask('one', ['/runs', '/runs/two'])).toEqual({ '/runs': [200, 200], '/runs/two': [403, 200] });
  expect(await ask('two', ['/runs'])).toEqual({ '/runs': [403, 200] });
});

test('a name that is none is not found, whichever token asks', async () => {
  expect(await ask(undefined, ['/run/a..b/status', `/run/${'x'.repeat(101)}/status`])).toEqual({
    '/run/a..b/status': [404, 404],
    [`/run/${'x'.repeat(101)}/status`]: [404, 404],
  });
});

test('a server of one tenant refuses tokens of others', async () => {
  expect(await ask('one', ['/runs'], 't')).toEqual({ '/runs': [200, 200] });
  expect(await ask('one', ['/runs'], 'u')).toEqual({ '/runs': [403, 403] });
});
