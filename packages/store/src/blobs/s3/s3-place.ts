import { BlobsPlaceError } from '../../errors/blob-errors.ts';

/** Where the payloads lie in an object store, and who asks for them. */
export interface S3Place {
  /** As it was named: `s3://bucket/prefix`. */
  readonly place: string;
  /** The address of the bucket, with a slash at its end. */
  readonly bucketUrl: string;
  /** Before every key; empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
/** What needs no escaping anywhere: a key is then the same in an address, in a signature and in a listing. */
const PREFIX = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

export const isS3Place = (place: string): boolean => place.startsWith('s3:');

/** Reads `s3://bucket/prefix`. The keys and the server come from the variables that every client of S3 reads. */
export function readS3Place(place: string, env: Variables): S3Place {
  const [, bucket, rest = ''] = PLACE.exec(place) ?? [];
  const prefix = rest.replace(/\/$/, '');
  if (bucket === undefined || (prefix !== '' && (!PREFIX.test(prefix) || prefix.split('/').some(isDots)))) {
    throw new BlobsPlaceError({
      place,
      reason: 'it should be s3://bucket/prefix, with letters, digits, dots, dashes, underscores and slashes',
    });
  }
  const region = read(env, 'AWS_REGION') ?? read(env, 'AWS_DEFAULT_REGION') ?? 'us-east-1';
  const accessKeyId = read(env, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = read(env, 'AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new BlobsPlaceError({ place, reason: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set' });
  }
  return {
    ...{ place, region, accessKeyId, secretAccessKey, sessionToken: read(env, 'AWS_SESSION_TOKEN') },
    bucketUrl: toBucketUrl({ place, bucket, region, endpoint: readEndpoint(env) }),
    prefix: prefix === '' ? '' : `${prefix}/`,
  };
}

const isDots = (part: string): boolean => part === '.' || part === '..';

const readEndpoint = (env: Variables): string | undefined =>
  read(env, 'AWS_ENDPOINT_URL_S3') ?? read(env, 'AWS_ENDPOINT_URL');

/** Other servers than Amazon's have the bucket in the path: its name is rarely a name of theirs in DNS. */
function toBucketUrl(options: { place: string; bucket: string; region: string; endpoint: string | undefined }): string {
  const { place, bucket, region, endpoint } = options;
  if (endpoint === undefined) {
    return bucket.includes('.')
      ? `https://s3.${region}.amazonaws.com/${bucket}/`
      : `https://${bucket}.s3.${region}.amazonaws.com/`;
  }
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw new BlobsPlaceError({ place, reason: 'AWS_ENDPOINT_URL_S3 is not an http or https address' });
  }
  return `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
}

function read(env: Variables, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
