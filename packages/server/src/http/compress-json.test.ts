import { fastify } from 'fastify';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { acceptsEncoding, compressJson } from './compress-json.ts';

test.each([
  ['gzip, deflate, br', true],
  ['br;q=1.0, gzip;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0', false],
  ['br', false],
  [undefined, false],
])('%j takes gzip: %s', (header, isTaken) => {
  expect(acceptsEncoding(header, 'gzip')).toBe(isTaken);
});

test('long JSON comes compressed to who takes it, and nothing else does', async () => {
  await using app = fastify();
  compressJson(app);
  const long = { rows: Array.from({ length: 200 }, (_, index) => ({ index, text: 'the same again' })) };
  app.get('/long', async () => long);
  app.get('/short', async () => ({ rows: [] }));
  app.get('/text', async (_, reply) => reply.type('text/plain').send('x'.repeat(5_000)));
  const ask = (url: string, encoding = 'gzip, br') =>
    app.inject({ url, headers: encoding === '' ? {} : { 'accept-encoding': encoding } });

  const packed = await ask('/long');
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(packed.rawPayload.length).toBeLessThan(JSON.stringify(long).length / 5);
  expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(long);
  expect(packed.headers['content-length']).toBe(String(packed.rawPayload.length));
  const plain = await ask('/long', '');
  expect([plain.headers['content-encoding'], plain.headers.vary, plain.json()]).toEqual([
    undefined,
    'accept-encoding',
    long,
  ]);
  for (const url of ['/short', '/text']) expect((await ask(url)).headers['content-encoding']).toBeUndefined();
});
