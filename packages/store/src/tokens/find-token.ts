import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { isMakerGood } from './sessions.ts';
import { isSecret, parseToken } from './token-text.ts';
import { toToken } from './token.ts';
import type { Token } from './token.ts';

/** Compared against when there is no such token, so that an unknown id takes as long as a wrong secret. */
const NO_SECRET_HASH = '0'.repeat(64);

/** The token this text proves, if it is valid now: known, right secret, not expired, not revoked. */
export async function findToken(options: { store: Store; token: string }): Promise<Token | undefined> {
  const { store, token } = options;
  const parsed = parseToken(token);
  if (parsed === undefined) return undefined;
  const now = databaseClock(store.dialect);
  const row = await store.db
    .selectFrom('tokens')
    .selectAll()
    .where('token_id', '=', parsed.tokenId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
  const isRight = isSecret(parsed.secret, row?.secret_hash ?? NO_SECRET_HASH);
  if (row === undefined || !isRight || row.kind === 'session-code') return undefined;
  if (row.kind === 'session' && !(await isMakerGood(store, row.tenant_id, row.name))) return undefined;
  return toToken(row);
}
