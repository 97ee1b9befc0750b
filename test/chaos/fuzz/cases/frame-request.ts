import type { Random } from '../../simulation/random.ts';
import type { Draft, FuzzCase } from './draft.ts';
import { makeNoise } from './mutate-bytes.ts';

type Framed = Pick<FuzzCase, 'pieces' | 'pauseMs' | 'manner' | 'requests'>;

/** Headers after which the connection cannot be trusted to carry another request. */
const CONNECTION_HEADERS = new Set(['upgrade', 'connection', 'expect', 'te', 'transfer-encoding', 'content-length']);

/** A slow sender's whole request takes this long at most; a slower one would show nothing more and cost the show its time. */
const SLOW_MS = 400;

/** Turns a request into bytes: mostly as it should be, sometimes in every way in which HTTP can be spoken badly. */
export function frameRequest(draft: Draft, random: Random): Framed {
  const kind = random.below(100);
  if (kind < 80) return frameExactly(draft);
  if (kind < 88) return frameChunked(draft, random);
  if (kind < 90) return dripSlowly(draft, random);
  if (kind < 92)
    return { ...frameExactly(draft), pieces: repeat(writeRequest(draft), 3), requests: 3, manner: 'disorderly' };
  return frameBadly(draft, random);
}

export function frameExactly(draft: Draft): Framed {
  const isOrderly = draft.method !== 'CONNECT' && !draft.headers.some(([name]) => CONNECTION_HEADERS.has(name));
  const isWaiting = /\/v1\/(?:batches|events)(?:\?|$)/.test(draft.path);
  const manner = !isOrderly ? 'disorderly' : isWaiting ? 'waiting' : 'orderly';
  return { pieces: [writeRequest(draft)], pauseMs: 0, manner, requests: 1 };
}

function writeRequest({ body, ...draft }: Draft): Buffer {
  const length: [string, string][] = body === null ? [] : [['content-length', String(body.length)]];
  return Buffer.concat([writeHead({ ...draft, headers: [...draft.headers, ...length] }), body ?? Buffer.alloc(0)]);
}

function writeHead({ method, path, headers }: Pick<Draft, 'method' | 'path' | 'headers'>): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** In pieces of odd sizes; one time in two the end never comes. */
function frameChunked(draft: Draft, random: Random): Framed {
  const { body } = draft;
  const chunks: Buffer[] = [writeHead({ ...draft, headers: [...draft.headers, ['transfer-encoding', 'chunked']] })];
  const bytes = body ?? Buffer.from('{}');
  for (let at = 0; at < bytes.length;) {
    const length = 1 + random.below(bytes.length - at);
    chunks.push(Buffer.from(`${length.toString(16)}\r\n`), bytes.subarray(at, at + length), Buffer.from('\r\n'));
    at += length;
  }
  if (random.chance(0.5)) {
    return {
      pieces: [Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])],
      pauseMs: 0,
      manner: 'disorderly',
      requests: 1,
    };
  }
  const filler = Buffer.from(`400\r\n${' '.repeat(0x400)}\r\n`);
  return { pieces: [...chunks, ...repeat(filler, random.below(40))], pauseMs: 1, manner: 'disorderly', requests: 1 };
}

function dripSlowly(draft: Draft, random: Random): Framed {
  const bytes = writeRequest(draft);
  const size = Math.ceil(bytes.length / (5 + random.below(20)));
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  // Some of them lose interest before the end.
  const sent = random.chance(0.3) ? pieces.slice(0, -1) : pieces;
  return { pieces: sent, pauseMs: SLOW_MS / pieces.length, manner: 'disorderly', requests: 1 };
}

function frameBadly(draft: Draft, random: Random): Framed {
  const once = (...pieces: Buffer[]): Framed => ({ pieces, pauseMs: 0, manner: 'disorderly', requests: 1 });
  const withHeaders = (...headers: [string, string][]): Buffer =>
    Buffer.concat([writeHead({ ...draft, headers: [...draft.headers, ...headers] }), draft.body ?? Buffer.alloc(0)]);
  const length = draft.body?.length ?? 0;
  switch (random.below(10)) {
    case 0:
      return once(
        withHeaders(['content-length', random.pick(['-1', '1e3', '0x10', '', 'NaN', '9'.repeat(30), '1 1', '+5'])]),
      );
    case 1:
      return once(withHeaders(['content-length', String(length + 1 + random.below(1_000_000))]));
    case 2:
      return once(withHeaders(['content-length', String(random.below(length + 1))]));
    case 3:
      return once(withHeaders(['content-length', String(length)], ['transfer-encoding', 'chunked']));
    case 4:
      return once(withHeaders(['content-length', String(length)], ['content-length', String(length + 1)]));
    case 5:
      return once(
        withHeaders(['transfer-encoding', random.pick(['gzip', 'chunked, chunked', 'xchunked', 'chunked;a'])]),
      );
    case 6:
      return once(withHeaders(['x-huge', 'a'.repeat(10_000 + random.below(90_000))]));
    case 7:
      return once(withHeaders(['content-length', '1000000000000']));
    case 8: {
      const bytes = writeRequest(draft);
      bytes[random.below(Math.min(bytes.length, 60))] = random.below(256);
      return once(bytes);
    }
    default:
      return once(
        random.chance(0.5)
          ? makeNoise(random, 300)
          : Buffer.from(
              random.pick([
                '\r\n\r\n',
                'GET / HTTP/9.9\r\n\r\n',
                'GET /\r\n\r\n',
                'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
                'GET / HTTP/1.0\r\n\r\n',
                ' GET / HTTP/1.1\r\n\r\n',
                'GET / HTTP/1.1\nhost: 127.0.0.1\n\n',
              ]),
            ),
      );
  }
}

function repeat(bytes: Buffer, times: number): Buffer[] {
  return Array.from({ length: times }, () => bytes);
}
