import { hash } from 'node:crypto';

/**
 * What makes the store look at the bytes before it keeps them: their digest, in the signature and as a checksum that it
 * remembers. For a whole blob the digest is its name, so nothing is computed twice.
 */
export function checksumHeaders(bytes: Uint8Array, digest: string = hash('sha256', bytes)): Record<string, string> {
  return {
    'x-amz-content-sha256': digest,
    'x-amz-checksum-sha256': Buffer.from(digest, 'hex').toString('base64'),
  };
}
