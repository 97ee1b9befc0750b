import { expect, it } from 'vitest';
import { BlobsRefusedError, BlobsUnavailableError } from '../../errors/blob-errors.ts';
import { DiskFullError } from '../../errors/disk-full-error.ts';
import { createS3Client } from './s3-client.ts';
import { readS3Place } from './s3-place.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'very-secret' };
const place = readS3Place('s3://bucket/p', { ...KEYS, AWS_ENDPOINT_URL_S3: 'http://s3.test:9/' });

/** A server that gives these answers one after the other, and the last one for ever; a string is a lost connection. */
function createServer(answers: (Response | string)[]) {
  const seen: { url: string; headers: Headers }[] = [];
  let nowMs = 0;
  const send = createS3Client({
    place,
    fetch: async (input, init) => {
      seen.push({ url: input.href, headers: new Headers(init.headers) });
      const answer = answers[Math.min(seen.length, answers.length) - 1]!;
      if (typeof answer === 'string') throw new TypeError('fetch failed', { cause: new Error(answer) });
      return answer.clone();
    },
    pause: async (ms) => (nowMs += ms),
    monotonic: () => nowMs,
    random: () => 0.5,
  });
  return { send, seen, now: () => nowMs };
}

it('signs, and tries again after what passes', async () => {
  const { send, seen } = createServer(['read ECONNRESET', new Response('', { status: 503 }), new Response('fine')]);
  const { body } = await send({ method: 'GET', key: 'a' });
  expect(Buffer.from(body).toString()).toBe('fine');
  expect(seen.map(({ url }) => url)).toEqual(Array(3).fill('http://s3.test:9/bucket/p/a'));
  expect(seen[0]!.headers.get('authorization')).toMatch(/^AWS4-HMAC-SHA256 Credential=id\//);
});

it('gives up at the deadline, and says that it may be tried again', async () => {
  const { send, seen, now } = createServer(['connect ECONNREFUSED']);
  const error = await send({ method: 'GET', key: 'a' }).catch((thrown: unknown) => thrown);
  expect(BlobsUnavailableError.isInstance(error) && error.retryable).toBe(true);
  expect(String(error)).toContain('s3://bucket/p are out of reach: connect ECONNREFUSED');
  expect(now()).toBeLessThan(30_000);
  expect(seen.length).toBeGreaterThan(10);
});

it('makes a call once that must not be made again', async () => {
  const { send, seen } = createServer(['read ECONNRESET', new Response('fine')]);
  await expect(send({ method: 'DELETE', key: 'a', isOnce: true })).rejects.toSatisfy(BlobsUnavailableError.isInstance);
  expect(seen).toHaveLength(1);
});

it('does not repeat what is refused, and never says the key', async () => {
  const body = '<Error><Code>AccessDenied</Code></Error>';
  const { send, seen } = createServer([new Response(body, { status: 403, headers: { 'x-amz-request-id': 'r1' } })]);
  const error = await send({ method: 'PUT', key: 'a' }).catch((thrown: unknown) => thrown);
  expect(BlobsRefusedError.isInstance(error) && error.code).toBe('AccessDenied');
  expect(String(error)).toContain('refused PUT a: 403, AccessDenied, request r1');
  expect(JSON.stringify([error, String(error)])).not.toContain('very-secret');
  expect(seen).toHaveLength(1);
});

it('knows a bucket that is full', async () => {
  const { send } = createServer([new Response('<Code>QuotaExceeded</Code>', { status: 403 })]);
  await expect(send({ method: 'PUT', key: 'a' })).rejects.toSatisfy(DiskFullError.isInstance);
});

it.each([
  ['s3://bucket', {}, 'https://bucket.s3.us-east-1.amazonaws.com/', ''],
  ['s3://bucket/a/b/', { AWS_REGION: 'eu-west-1' }, 'https://bucket.s3.eu-west-1.amazonaws.com/', 'a/b/'],
  ['s3://my.bucket/a', {}, 'https://s3.us-east-1.amazonaws.com/my.bucket/', 'a/'],
  ['s3://bucket/a', { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/bucket/', 'a/'],
])('reads %s with %j', (named, env, bucketUrl, prefix) => {
  expect(readS3Place(named, { ...KEYS, ...env })).toMatchObject({ bucketUrl, prefix });
});

it.each([
  ['s3://', KEYS, 's3://bucket/prefix'],
  ['s3://bucket/../x', KEYS, 's3://bucket/prefix'],
  ['s3://bucket/a b', KEYS, 's3://bucket/prefix'],
  ['s3://bucket', {}, 'AWS_ACCESS_KEY_ID'],
  ['s3://bucket', { ...KEYS, AWS_ENDPOINT_URL_S3: 'nowhere' }, 'AWS_ENDPOINT_URL_S3'],
])('refuses %s with %j', (named, env, said) => {
  expect(() => readS3Place(named, env)).toThrow(said);
});
