import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BlobCorruptError } from '../errors/blob-errors.ts';

/**
 * Throws BlobCorruptError unless the bytes are those of the digest. The checksum that whoever wrote them took is as good, and
 * sooner computed; where it does not fit the digest decides.
 */
export function checkBytes(bytes: Uint8Array, digest: string, written?: { crc32: number }): void {
  if (written !== undefined && crc32(bytes) === written.crc32) return;
  const actualDigest = hash('sha256', bytes);
  if (actualDigest !== digest) throw new BlobCorruptError({ digest, actualDigest });
}
