import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControlBench, type ControlBench } from './bench.fixture.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(4_000))});`;

let folder: string;
let bench: ControlBench;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-page-'));
  bench = await createControlBench({ allowHosts: ['train.example'] }, undefined, {}, { pageFolder: folder });
});

afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const open = (url: string, headers: Record<string, string> = {}) =>
  bench.control.app.inject({ url, headers: { host: 'localhost', accept: BROWSER, ...headers } });

describe('the page', () => {
  it('says how it is built while it is not', async () => {
    const { statusCode, body, headers } = await open('/');
    expect([statusCode, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(body).toContain('pnpm --filter dashboard build');
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Lachesis</title>');
    await writeFile(join(folder, 'assets', 'index-Ab3.js'), SCRIPT);
    await writeFile(join(folder, 'assets', 'index-Ab3.js.br'), brotliCompressSync(SCRIPT));
    await writeFile(join(folder, 'assets', 'index-Ab3.js.gz'), gzipSync(SCRIPT));
    await writeFile(join(folder, 'assets', 'style-9.css'), 'body {}');
  });

  it.each([
    '/',
    '/runs',
    '/runs/k3v9x0ab',
    '/runs/k3v9x0ab/steps/7?group=2',
    '/trajectories',
    '/models/a@1',
    '/nowhere',
  ])('is what a browser gets at %s', async (url) => {
    const { statusCode, body, headers } = await open(url);
    expect([statusCode, body]).toEqual([200, '<!doctype html><title>Lachesis</title>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['/', '*/*', 404],
    ['/', 'application/json', 404],
    ['/runs', '*/*', 200],
    ['/runs', 'application/json', 200],
    ['/runs/nobody', 'application/json', 404],
    ['/v1/trajectories', BROWSER, 200],
    ['/health', BROWSER, 200],
    ['/openapi.json', BROWSER, 200],
    ['/assets/nothing.js', BROWSER, 404],
  ])('is not what a program gets: %s for %s', async (url, accept, status) => {
    const { statusCode, headers } = await open(url, { accept });
    expect(statusCode).toBe(status);
    expect(headers['content-type']).toContain('application/json');
  });

  it('is not what a POST gets', async () => {
    const { statusCode, headers } = await bench.control.app.inject({
      ...{ method: 'POST', url: '/', headers: { host: 'localhost', accept: BROWSER } },
    });
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('has files that are kept for ever, as small as the browser takes them', async () => {
    const ask = async (encoding: string) => {
      const { headers, rawPayload } = await open('/assets/index-Ab3.js', { 'accept-encoding': encoding });
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
      return [headers['content-encoding'], rawPayload] as const;
    };
    const [br, gzip, plain] = [await ask('gzip, deflate, br'), await ask('gzip'), await ask('identity')];
    expect([br[0], brotliDecompressSync(br[1]).toString()]).toEqual(['br', SCRIPT]);
    expect([gzip[0], gunzipSync(gzip[1]).toString()]).toEqual(['gzip', SCRIPT]);
    expect([plain[0], plain[1].toString()]).toEqual([undefined, SCRIPT]);
    const style = await open('/assets/style-9.css', { 'accept-encoding': 'br' });
    expect([style.headers['content-type'], style.headers['content-encoding'], style.body]).toEqual([
      'text/css; charset=utf-8',
      undefined,
      'body {}',
    ]);
  });

  it.each(['..%2findex.html', '%2e%2e%2findex.html', '.hidden', 'a%00.js', '', `${'x'.repeat(190)}.js`, 'assets'])(
    'gives no file but its own: %s',
    async (name) => {
      const { statusCode, headers } = await open(`/assets/${name}`);
      expect(statusCode).toBeGreaterThanOrEqual(400);
      expect(statusCode).toBeLessThan(500);
      expect(headers['content-type']).toContain('application/json');
    },
  );
});

describe('a call of a page', () => {
  const post = async (headers: Record<string, string>) =>
    (await bench.control.app.inject({ ...{ method: 'POST', url: '/v1/held-out', payload: {} }, headers })).statusCode;
  const own = { host: 'localhost:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' };

  it('is taken from the page of this server', async () => {
    expect(await post(own)).not.toBe(403);
    const { headers } = await bench.control.app.inject({ url: '/runs', headers: own });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    ['of another origin', { ...own, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another port', { ...own, origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['of a rebound name', { ...own, host: 'evil.example', origin: 'http://evil.example' }],
    ['that does not say where it is from', { host: own.host, origin: own.origin }],
  ])('is refused: %s', async (_, headers) => {
    expect(await post(headers)).toBe(403);
  });

  it('is refused by a server that has no page', async () => {
    await using other = await createControlBench();
    const { statusCode } = await other.control.app.inject({ method: 'POST', url: '/runs', headers: own });
    expect(statusCode).toBe(403);
  });
});
