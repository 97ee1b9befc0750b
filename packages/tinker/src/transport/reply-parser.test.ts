import { request } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ReplyParser } from './reply-parser.ts';
import type { ParsedReply } from './reply-parser.ts';

const lines = (...parts: string[]): string => parts.join('\r\n');

/** What is one answer on the line. */
const ANSWERS: Record<string, string> = {
  'a length': lines('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 7', '', '{"a":1}'),
  'a length of nothing': lines('HTTP/1.1 422 Unprocessable', 'content-length: 0', '', ''),
  'no reason and spaces around a value': lines('HTTP/1.1 200 ', 'Content-Length: \t 2 ', '', 'ok'),
  'no content': lines('HTTP/1.1 204 No Content', 'x-a: 1', '', ''),
  'chunks with extensions and trailers': lines(
    'HTTP/1.1 200 OK',
    'Transfer-Encoding: Chunked',
    '',
    '4;name=value',
    '{"a"',
    'A',
    ':12345678}',
    '0',
    'x-checksum: 1',
    '',
    '',
  ),
  'no chunk but the last': lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '0', '', ''),
  'an early hint before': lines('HTTP/1.1 100 Continue', '', 'HTTP/1.1 201 Created', 'content-length: 1', '', 'x'),
  'a header twice': lines('HTTP/1.1 200 OK', 'x-a: 1', 'content-length: 1', 'X-A: 2', '', 'x'),
  'the server closes': lines('HTTP/1.1 200 OK', 'connection: close', 'content-length: 2', '', 'ok'),
  'an old server that stays': lines('HTTP/1.0 200 OK', 'Connection: Keep-Alive', 'content-length: 2', '', 'ok'),
  'an old server': lines('HTTP/1.0 200 OK', 'content-length: 2', '', 'ok'),
};

const describeReply = (reply: ParsedReply | undefined) =>
  reply && {
    status: reply.answer.status,
    body: Buffer.from(reply.answer.bytes).toString('latin1'),
    type: reply.answer.headers.get('content-type'),
    double: reply.answer.headers.get('x-a'),
    isReusable: reply.isReusable,
  };

/** Pushes the bytes in pieces of a size; the last piece is the one that makes the answer whole. */
function parse(text: string, size = text.length): ReturnType<typeof describeReply> {
  const parser = new ReplyParser();
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.byteLength; at += size) {
    const reply = parser.push(bytes.subarray(at, at + size));
    if (reply !== undefined) {
      expect(at + size).toBeGreaterThanOrEqual(bytes.byteLength);
      return describeReply(reply);
    }
  }
  return describeReply(parser.end());
}

test.each(Object.entries(ANSWERS))('%s: read the same whole, byte by byte and in every two pieces', (_name, text) => {
  const whole = parse(text);
  expect(whole).toBeDefined();
  for (const size of [1, 2, 3, 5, 7]) expect(parse(text, size)).toEqual(whole);
  for (let cut = 1; cut < text.length; cut += 1) {
    const parser = new ReplyParser();
    const first = parser.push(Buffer.from(text.slice(0, cut), 'latin1'));
    expect(first).toBeUndefined();
    expect(describeReply(parser.push(Buffer.from(text.slice(cut), 'latin1')))).toEqual(whole);
  }
});

test.each(Object.entries(ANSWERS))('%s: read as Node’s own client reads it', async (_name, text) => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(Buffer.from(text, 'latin1')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const theirs = await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, agent: false }, (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (piece: string) => (body += piece));
      const double = response.headers['x-a'] ?? null;
      const type = response.headers['content-type'] ?? null;
      response.on('end', () => resolve({ status: response.statusCode, body, type, double }));
    })
      .on('error', reject)
      .end();
  });
  await new Promise((resolve) => server.close(resolve));
  expect(parse(text)).toMatchObject(theirs as object);
});

test('a connection is used again when the server leaves it open, and nothing stands behind the answer', () => {
  const isReusable = (name: string): boolean | undefined => parse(ANSWERS[name]!)?.isReusable;
  expect(isReusable('a length')).toBe(true);
  expect(isReusable('chunks with extensions and trailers')).toBe(true);
  expect(isReusable('an old server that stays')).toBe(true);
  expect(isReusable('the server closes')).toBe(false);
  expect(isReusable('an old server')).toBe(false);
  for (const name of ['a length', 'chunks with extensions and trailers', 'no content']) {
    expect(parse(`${ANSWERS[name]!}HTTP/1.1 200 OK\r\n`)).toMatchObject({ isReusable: false });
  }
});

test('several answers follow each other on one connection', () => {
  const parser = new ReplyParser();
  for (const name of ['a length', 'chunks with extensions and trailers', 'no content', 'a length']) {
    expect(describeReply(parser.push(Buffer.from(ANSWERS[name]!)))).toEqual(parse(ANSWERS[name]!));
    expect(parser.hasBegun).toBe(false);
  }
});

test('an answer without a length ends with its connection', () => {
  const text = lines('HTTP/1.1 200 OK', 'content-type: a/b', '', 'to the end');
  expect(parse(text, 3)).toMatchObject({ body: 'to the end', type: 'a/b', isReusable: false });
});

test.each([
  ['a length', 40],
  ['chunks with extensions and trailers', 60],
])('%s: an answer that broke off is no answer', (name, size) => {
  const parser = new ReplyParser();
  parser.push(Buffer.from(ANSWERS[name]!.slice(0, size)));
  expect([parser.end(), parser.hasBegun]).toEqual([undefined, true]);
});

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['a later HTTP', 'HTTP/2.0 200 OK\r\n\r\n'],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nabcde'],
  ['two lengths in one line', 'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nab'],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a length below nothing', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
  ['a length in hexadecimal', 'HTTP/1.1 200 OK\r\ncontent-length: 0x5\r\n\r\nabcde'],
  ['a length beyond all', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n'],
  ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 1\r\n\r\nx'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nx-a: 1\r\n content-length: 1\r\n\r\nx'],
  ['a bare line feed in the head', 'HTTP/1.1 200 OK\r\nx-a: 1\ncontent-length: 1\r\n\r\nx'],
  ['a chunk’s size with a sign', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+1\r\nx\r\n0\r\n\r\n'],
  ['a chunk longer than it says', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}`],
  ['a chunk’s line without an end', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'a'.repeat(5_000)}`],
])('refused: %s', (_name, text) => {
  for (const size of [text.length, 1]) expect(() => parse(text, size)).toThrow(/answer|body|header|chunk|protocol/);
});

test('bytes at random never pass for an answer that goes on', () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const texts = Object.values(ANSWERS);
  for (let round = 0; round < 3_000; round += 1) {
    const bytes = Buffer.from(texts[round % texts.length]!, 'latin1');
    for (let change = 0; change < 1 + (round % 3); change += 1) {
      bytes[Math.floor(random() * bytes.byteLength)] = Math.floor(random() * 256);
    }
    const run = (size: number) => {
      const parser = new ReplyParser();
      try {
        for (let at = 0; at < bytes.byteLength; at += size) {
          const reply = parser.push(bytes.subarray(at, at + size));
          if (reply !== undefined) return { ...describeReply(reply), isReusable: undefined };
        }
        return { ...describeReply(parser.end()), isReusable: undefined };
      } catch (error) {
        return (error as Error).name;
      }
    };
    // However it is cut, it is read alike.
    expect(run(1 + Math.floor(random() * 9))).toEqual(run(bytes.byteLength));
  }
});
