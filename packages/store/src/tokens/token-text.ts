import { createHash, timingSafeEqual } from 'node:crypto';

const TOKEN = /^lch_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

/** A token as its owner holds it: `lch_<id>_<secret>`. The prefix lets secret scanners find leaked ones. */
export function formatToken(tokenId: string, secret: string): string {
  return `lch_${tokenId}_${secret}`;
}

export function parseToken(text: string): { tokenId: string; secret: string } | undefined {
  const [, tokenId, secret] = TOKEN.exec(text) ?? [];
  return tokenId === undefined || secret === undefined ? undefined : { tokenId, secret };
}

/** A plain hash is enough: the secret is 32 random bytes, so there is nothing to guess from. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Takes the same time wherever the two differ. */
export function isSecret(secret: string, secretHash: string): boolean {
  const actual = Buffer.from(hashSecret(secret), 'hex');
  const expected = Buffer.from(secretHash, 'hex');
  return actual.byteLength === expected.byteLength && timingSafeEqual(actual, expected);
}
