import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { findGoodMakers } from './sessions.ts';
import { isSecret, parseToken } from './token-text.ts';
import { toToken } from './token.ts';
import type { Token } from './token.ts';

/** Compared against when there is no such token, so that an unknown id takes as long as a wrong secret. */
const NO_SECRET_HASH = '0'.repeat(64);

/** Of what stands in one question: databases take so many values and no more. */
const MOST_AT_ONCE = 1_000;

/** The token this text proves, if it is valid now: known, right secret, not expired, not revoked. */
export async function findToken(options: { store: Store; token: string }): Promise<Token | undefined> {
  const [found] = await findTokens({ store: options.store, tokens: [options.token] });
  return found;
}

/** The tokens that these texts prove, in their order: two questions to the database, however many they are. */
export async function findTokens(options: { store: Store; tokens: readonly string[] }): Promise<(Token | undefined)[]> {
  const { store, tokens } = options;
  if (tokens.length > MOST_AT_ONCE) {
    const rest = tokens.slice(MOST_AT_ONCE);
    const first = await findTokens({ store, tokens: tokens.slice(0, MOST_AT_ONCE) });
    return [...first, ...(await findTokens({ store, tokens: rest }))];
  }
  const parsed = tokens.map(parseToken);
  const ids = new Set(parsed.flatMap((each) => each?.tokenId ?? []));
  if (ids.size === 0) return tokens.map(() => undefined);
  const now = databaseClock(store.dialect);
  const rows = await store.db
    .selectFrom('tokens')
    .selectAll()
    .where('token_id', 'in', [...ids])
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute();
  const byId = new Map(rows.map((row) => [row.token_id, row]));
  const isMakerGood = await findGoodMakers(
    store,
    rows.filter(({ kind }) => kind === 'session'),
  );
  return parsed.map((each) => {
    if (each === undefined) return undefined;
    const row = byId.get(each.tokenId);
    const isRight = isSecret(each.secret, row?.secret_hash ?? NO_SECRET_HASH);
    if (row === undefined || !isRight || row.kind === 'session-code') return undefined;
    return row.kind === 'session' && !isMakerGood(row) ? undefined : toToken(row);
  });
}
