import { randomBytes } from 'node:crypto';
import { createIdSource, LachesisError } from '@lachesis/protocol';
import { describeNames, isName } from '@lachesis/protocol/names';
import type { IdSource } from '@lachesis/protocol';
import type { NamedThing } from '@lachesis/protocol/names';
import { databaseClock } from '../database/database-clock.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { formatToken, hashSecret } from './token-text.ts';
import type { TokenKind } from './token.ts';

const SECRET_BYTES = 32;

export interface CreateTokenOptions {
  store: Store;
  tenantId: string;
  /** For people: what it is used for. */
  name: string;
  scopes: readonly string[];
  /** `person` when left out. */
  kind?: TokenKind;
  /** The name of the only run it is good for; null, as when left out, for all of the tenant. */
  run?: string | null;
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

/**
 * Makes a token of a tenant with its scopes and the time it ends. Names of tenant and run are checked here because
 * this is where they come into being. If we die after the commit, a token exists that nobody holds; it can be listed
 * and revoked.
 */
export async function createToken(options: CreateTokenOptions): Promise<CreatedToken> {
  const { statement, created } = planToken(options);
  await options.store.commit({ statements: [statement] });
  return created;
}

/** The token and the statement that writes it down, for a unit that does more than that. */
export function planToken(options: CreateTokenOptions): { statement: WriteStatement; created: CreatedToken } {
  const { store, tenantId, name, scopes, expiresAt = null, ids = createIdSource(), random = randomBytes } = options;
  const { kind = 'person', run = null } = options;
  refuseName('tenant', tenantId);
  if (run !== null) refuseName('run', run);
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
      kind,
      run,
      last_used_at: null,
    })
    .compile();
  return { statement: { query, expectRows: 1 }, created: { tokenId, token: formatToken(tokenId, secret) } };
}

function refuseName(thing: NamedThing, name: string): void {
  if (isName(thing, name)) return;
  throw new LachesisError({
    code: 'invalid',
    message: `${JSON.stringify(name.slice(0, 200))} is no name of a ${thing}`,
    hint: `Names of ${thing}s are ${describeNames(thing)}.`,
  });
}
