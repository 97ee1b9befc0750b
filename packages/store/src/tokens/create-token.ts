import { randomBytes } from 'node:crypto';
import { createIdSource } from '@lachesis/protocol';
import type { IdSource } from '@lachesis/protocol';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { formatToken, hashSecret } from './token-text.ts';

const SECRET_BYTES = 32;

export interface CreateTokenOptions {
  store: Store;
  tenantId: string;
  /** For people: what it is used for. */
  name: string;
  scopes: readonly string[];
  /** Milliseconds since the epoch by the database's clock; null for a token that does not expire. */
  expiresAt?: number | null;
  ids?: IdSource;
  /** That many random bytes. */
  random?: (bytes: number) => Uint8Array;
}

export interface CreatedToken {
  tokenId: string;
  /** The only time it is ever seen: just its hash is stored. */
  token: string;
}

/** Makes a token. If we die after the commit, a token exists that nobody holds; it can be listed and revoked. */
export async function createToken(options: CreateTokenOptions): Promise<CreatedToken> {
  const { store, tenantId, name, scopes, expiresAt = null, ids = createIdSource(), random = randomBytes } = options;
  const tokenId = ids.next();
  const secret = Buffer.from(random(SECRET_BYTES)).toString('base64url');
  const query = store.db
    .insertInto('tokens')
    .values({
      tenant_id: tenantId,
      token_id: tokenId,
      name,
      secret_hash: hashSecret(secret),
      scopes: JSON.stringify(scopes),
      created_at: databaseClock(store.dialect),
      expires_at: expiresAt,
      revoked_at: null,
    })
    .compile();
  await store.commit({ statements: [{ query, expectRows: 1 }] });
  return { tokenId, token: formatToken(tokenId, secret) };
}
