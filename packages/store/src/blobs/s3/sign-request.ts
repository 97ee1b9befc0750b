import { createHmac, hash } from 'node:crypto';
import type { S3Place } from './s3-place.ts';

/** What is not known to be asked for with these bytes. */
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * The headers of a call with its signature (version 4, as every object store takes it). Keys and prefixes need no escaping, so
 * that the path is signed as it is sent.
 */
export function signRequest(options: {
  place: Pick<S3Place, 'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'region'>;
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>> | undefined;
  now: Date;
}): Record<string, string> {
  const { place, method, url, now } = options;
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': UNSIGNED,
    ...options.headers,
    'x-amz-date': time,
    ...(place.sessionToken === undefined ? {} : { 'x-amz-security-token': place.sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const signed = names.join(';');
  const canonical = [
    ...[method, url.pathname, writeQuery(url)],
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    ...['', signed, headers['x-amz-content-sha256']!],
  ].join('\n');
  const day = time.slice(0, 8);
  const scope = `${day}/${place.region}/s3/aws4_request`;
  const key = findKey(place, day);
  const signature = createHmac('sha256', key)
    .update([ALGORITHM, time, scope, hash('sha256', canonical)].join('\n'))
    .digest('hex');
  return {
    ...headers,
    authorization: `${ALGORITHM} Credential=${place.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** By name, escaped as the store escapes it. */
function writeQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
    .toSorted()
    .join('&');
}

const escape = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** The key of a day is made of four digests; it is the same for every call of that day. */
let last: { of: string; key: Buffer } | undefined;

function findKey({ secretAccessKey, region }: Pick<S3Place, 'secretAccessKey' | 'region'>, day: string): Buffer {
  const of = `${day} ${region} ${secretAccessKey}`;
  if (last?.of === of) return last.key;
  const digest = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const key = [region, 's3', 'aws4_request'].reduce(digest, digest(`AWS4${secretAccessKey}`, day));
  last = { of, key };
  return key;
}
