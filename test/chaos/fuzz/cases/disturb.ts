import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import type { Random } from '../../simulation/random.ts';
import type { Draft } from './draft.ts';
import { nestDeeply, pickNumberText, pickText } from './hostile-values.ts';
import { makeNoise, mutateBytes } from './mutate-bytes.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL', 'SEARCH', 'QUERY'];

const TYPES = [
  ...[
    'text/plain',
    'application/xml',
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'application/vnd.x+json',
  ],
  ...[
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    '*/*',
    ';',
    '',
  ],
  ...['application/json; charset="', 'application/vnd.lachesis.group', 'json', '\xff'],
];

const HEADERS = [
  ...['accept-encoding', 'accept', 'authorization', 'cookie', 'expect', 'if-none-match', 'last-event-id', 'origin'],
  ...['range', 'sec-fetch-site', 'x-forwarded-for', 'x-http-method-override', 'idempotency-key', '__proto__'],
  ...['constructor', 'upgrade', 'connection', 'content-encoding', 'content-type', 'host', 'x-request-id', 'te', 'via'],
];

const VALUES = ['gzip', 'gzip;q=0', 'identity', 'deflate, gzip', '*', 'Bearer x', 'Basic Og==', 'Basic !!', 'null'];

/** A change to a request that leaves it well-formed HTTP. */
export type Disturbance = (draft: Draft, random: Random) => void;

/** Well-formed, so the server owes an answer to each. */
export const DISTURBANCES: readonly Disturbance[] = [
  (draft, random) => (draft.method = random.pick(METHODS)),
  (draft, random) => (draft.path = disturbPath(draft.path, random)),
  (draft, random) => setHeader(draft, 'content-type', random.pick(TYPES)),
  (draft, random) => draft.headers.push([random.pick(HEADERS), pickHeaderValue(random)]),
  (draft, random) => {
    const count = random.pick([1, 20, 120]);
    for (let index = 0; index < count; index += 1) draft.headers.push([`x-${index}`, pickHeaderValue(random)]);
  },
  (draft, random) => draft.headers.push(['x-long', 'a'.repeat(random.below(12_000))]),
  (draft, random) =>
    setHeader(draft, 'host', random.pick(['', 'evil.example', '127.0.0.1:1', '[::1]', 'a b', '@', '[', '127.0.0.1.'])),
  (draft) => void draft.headers.splice(draft.headers.findIndex(([name]) => name === 'content-type') >>> 0, 1),
  (draft, random) => (draft.body = mutateBytes(draft.body ?? makeNoise(random, 64), random)),
  (draft, random) => (draft.body = random.chance(0.5) ? Buffer.from(nestDeeply(random)) : makeNoise(random, 200)),
  (draft) => (draft.body = null),
  ...Array.from({ length: 3 }, () => compressBody),
];

/** Compressed as announced, or broken, or announced wrongly. */
function compressBody(draft: Draft, random: Random): void {
  const plain = draft.body ?? Buffer.from('{}');
  const announced = random.pick([
    'gzip',
    'gzip',
    'gzip',
    'gzip',
    'GZIP',
    'x-gzip',
    'deflate',
    'br',
    'gzip, gzip',
    'identity',
    'zstd',
  ]);
  draft.headers.push(['content-encoding', announced]);
  switch (random.below(8)) {
    case 0:
      draft.body = mutateBytes(gzipSync(plain), random);
      return;
    case 1:
      draft.body = gzipSync(plain).subarray(0, random.below(40));
      return;
    case 2:
      draft.body = Buffer.concat([gzipSync(plain), random.chance(0.5) ? gzipSync('{}') : makeNoise(random, 20)]);
      return;
    case 3:
      draft.body = random.pick([deflateSync, deflateRawSync, brotliCompressSync])(plain);
      return;
    case 4:
      draft.body = gzipSync(gzipSync(plain));
      return;
    case 5:
      draft.body = plain;
      return;
    default:
      draft.body = gzipSync(plain);
  }
}

function disturbPath(path: string, random: Random): string {
  const at = random.below(path.length + 1);
  switch (random.below(9)) {
    case 0:
      return `${path}/`;
    case 1:
      return `/${path}`;
    case 2:
      return `${path}${path.includes('?') ? '&' : '?'}${random.pick(['epoch', 'after', 'cursor', 'follow', 'a', '__proto__'])}${random.pick(['', '=', `=${pickNumberText(random)}`, '=%00', '[]=1', '=%ff&a=%'])}`;
    case 3:
      return `${path.slice(0, at)}${random.pick(['%00', '%2f', '%ff', '%', '%zz', '..', '\\', ';', '*', '\xe9', '%f0%9f%99%82'])}${path.slice(at)}`;
    case 4:
      return `/run/${encodeURIComponent(pickText(random).toWellFormed()).slice(0, 4_000)}${path}`;
    case 5:
      return `${path}/${'a/'.repeat(random.below(500))}`;
    case 6:
      return path.toUpperCase();
    case 7:
      return `http://127.0.0.1${path}`;
    default:
      return random.pick([
        '*',
        '/',
        '//',
        '/../',
        '/run',
        '/run/',
        '/run/a',
        '/v1',
        '/v1/batches//ack',
        '/favicon.ico',
        '/%',
      ]);
  }
}

function setHeader(draft: Draft, name: string, value: string): void {
  draft.headers = [...draft.headers.filter(([other]) => other !== name), [name, value]];
}

/** Latin-1 without line ends, which is all that a header line can carry. */
function pickHeaderValue(random: Random): string {
  const value = random.chance(0.5) ? random.pick(VALUES) : pickText(random).slice(0, 500);
  return value.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '');
}
