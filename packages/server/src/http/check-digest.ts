import { LachesisError } from '@lachesis/protocol';
import { hash } from 'node:crypto';

const SHA_256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):/;

/** Holds a body against the `Content-Digest` (RFC 9530) that came with it; other digests than SHA-256 are not looked at. */
export function checkDigest(header: string | string[] | undefined, bytes: Uint8Array): void {
  if (header === undefined) return;
  const wanted = SHA_256.exec(String(header))?.[1];
  if (wanted === undefined || hash('sha256', bytes, 'base64') === wanted) return;
  throw new LachesisError({
    code: 'bad-request',
    message: 'the body is not the one that its Content-Digest is of: it was changed or cut on its way',
    hint: 'Nothing was kept; send it again.',
  });
}
