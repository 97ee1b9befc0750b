import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Authenticator } from './access/authenticate.ts';
import type { Principal } from './access/principal.ts';
import { HttpMetrics } from './metrics/http-metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';

const PAGE = 'https://page.example';
const KEY = `lch_${'k'.repeat(20)}`;

function serve(options: { hasProvider?: boolean; origins?: string[] } = {}) {
  const tokens: Record<string, Principal> = {
    [KEY]: { tenantId: 'a', scopes: ['inference:call'], run: null, tokenId: 'key' },
    lch_wide: { tenantId: 'a', scopes: ['inference:call', 'view'], run: null, tokenId: 'wide' },
    lch_admin: { tenantId: 'a', scopes: ['admin'], run: null, tokenId: 'admin' },
  };
  const route = (method: Route['method'], path: string, scope: Route['scope']): Route =>
    defineRoute({
      ...{ method, path, scope, summary: path },
      reply: z.object({ url: z.string(), whole: z.string(), by: z.string().nullable() }),
      handle: async ({ request, principal }) => ({
        url: request.url,
        whole: request.originalUrl,
        by: principal.tokenId,
      }),
    });
  const registry = new Registry();
  const lines: string[] = [];
  const app = createHttpServer({
    routes: [
      route('POST', '/v1/chat', 'inference:call'),
      route('GET', '/v1/status', 'view'),
      route('GET', '/', 'public'),
    ],
    authenticator: new Authenticator({
      directory: { find: async (token) => tokens[token] ?? null, count: async () => Object.keys(tokens).length },
    }),
    browserRules: { allowedHosts: new Set(['localhost']), allowedOrigins: new Set(options.origins) },
    metrics: new HttpMetrics(registry),
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    maxBodyBytes: 1_000,
    bodyBudgetBytes: 1_000,
    ...(options.hasProvider === undefined ? {} : { hasProvider: options.hasProvider }),
  });
  const ask = (method: 'GET' | 'POST' | 'OPTIONS', url: string, headers: Record<string, string> = {}) =>
    app.inject({ method, url, headers: { host: 'localhost', ...headers } });
  return { ask, registry, lines, [Symbol.asyncDispose]: () => app.close() };
}

describe('a key in the path', () => {
  it('is good for the model, whatever Authorization stands beside it', async () => {
    await using server = serve({ hasProvider: true });
    const reply = await server.ask('POST', `/key/${KEY}/v1/chat?a=1`, { authorization: 'Bearer sk-of-the-provider' });
    expect(reply.json()).toEqual({ url: '/v1/chat?a=1', whole: '/v1/chat?a=1', by: 'key' });
  });

  it.each([
    ['an unknown one', `/key/lch_no/v1/chat`, 401],
    ['one that may do more', '/key/lch_wide/v1/chat', 403],
    ['one of an administrator', '/key/lch_admin/v1/chat', 403],
    ['no key', '/key//v1/chat', 404],
    ['two keys', `/key/${KEY}/key/${KEY}/v1/chat`, 404],
    ['a slash at the end', `/key/${KEY}/v1/chat/`, 404],
  ])('is refused: %s', async (_, url, status) => {
    await using server = serve({ hasProvider: true });
    const reply = await server.ask('POST', url);
    expect(reply.statusCode).toBe(status);
    expect(JSON.stringify([reply.body, reply.headers])).not.toContain(KEY);
  });

  it('is good for nothing but the model', async () => {
    await using server = serve({ hasProvider: true });
    expect((await server.ask('GET', `/key/${KEY}/v1/status`)).statusCode).toBe(403);
    expect((await server.ask('GET', '/key/lch_admin/v1/status')).statusCode).toBe(403);
  });

  it('is good for nothing on a server without a model', async () => {
    await using server = serve();
    expect((await server.ask('POST', `/key/${KEY}/v1/chat`)).statusCode).toBe(403);
    expect((await server.ask('POST', '/v1/chat', { authorization: `Bearer ${KEY}` })).statusCode).toBe(200);
  });

  it('stands in no error, no metric and no log', async () => {
    await using server = serve({ hasProvider: true });
    const paths = [`/key/${KEY}/v1/chat`, `/key/${KEY}/nothing`, `//key/${KEY}/v1`, `/KEY/${KEY}/v1`, `/x/${KEY}`];
    const seen = await Promise.all(paths.map(async (url) => (await server.ask('GET', url)).body));
    expect(seen.map((body) => body.includes(KEY))).toEqual(paths.map(() => false));
    expect(await server.registry.metrics()).not.toContain(KEY);
    expect(server.lines.join('')).not.toContain(KEY);
  });
});

describe('our own header', () => {
  it.each([[true], [false]])('is taken by every server (a provider behind: %s)', async (hasProvider) => {
    await using server = serve({ hasProvider });
    const headers = { authorization: 'Bearer sk-1', 'x-lachesis-token': 'lch_admin' };
    expect((await server.ask('GET', '/v1/status', headers)).json()).toMatchObject({ by: 'admin' });
  });

  it('is needed where an Authorization is the provider’s', async () => {
    await using server = serve({ hasProvider: true });
    expect((await server.ask('POST', '/v1/chat', { authorization: 'Bearer sk-1' })).statusCode).toBe(401);
  });
});

describe('a page of an allowed origin', () => {
  const asking = { origin: PAGE, 'access-control-request-method': 'POST', 'sec-fetch-site': 'cross-site' };

  it('is told beforehand that it may call', async () => {
    await using server = serve({ origins: [PAGE] });
    const headers = { ...asking, 'access-control-request-headers': 'authorization,x-stainless-lang' };
    const reply = await server.ask('OPTIONS', '/v1/chat', headers);
    expect(reply.statusCode).toBe(204);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': 'authorization,x-stainless-lang',
      vary: 'Origin',
    });
  });

  it('may read replies and refusals', async () => {
    await using server = serve({ origins: [PAGE] });
    for (const token of ['lch_admin', 'lch_unknown']) {
      const reply = await server.ask('POST', '/v1/chat', { origin: PAGE, authorization: `Bearer ${token}` });
      expect(reply.headers).toMatchObject({ 'access-control-allow-origin': PAGE, vary: 'Origin' });
    }
  });

  it('is the only one that is told', async () => {
    await using server = serve({ origins: [PAGE] });
    const other = await server.ask('OPTIONS', '/v1/chat', { ...asking, origin: 'https://evil.example' });
    expect(other.statusCode).toBe(403);
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
    const program = await server.ask('GET', '/');
    expect(program.headers).not.toHaveProperty('access-control-allow-origin');
    expect(program.headers).toMatchObject({ vary: 'Origin' });
  });

  it('is nobody where no origin is allowed', async () => {
    await using server = serve();
    const reply = await server.ask('OPTIONS', '/v1/chat', asking);
    expect(reply.statusCode).toBe(403);
    expect(reply.json()).toMatchObject({ error: { hint: expect.stringContaining('--allow-origins') } });
    expect((await server.ask('GET', '/')).headers).not.toHaveProperty('vary');
  });
});
