import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';

/** Often enough for a person who asks which tokens are still needed, seldom enough to cost nothing. */
export const NOTE_USE_MS = 60_000;

/** Writes down that a token is in use, unless that was written within the last minute by any server. */
export async function noteTokenUse(options: { store: Store; tenantId: string; tokenId: string }): Promise<void> {
  const { store, tenantId, tokenId } = options;
  const now = databaseClock(store.dialect);
  await store.db
    .updateTable('tokens')
    .set({ last_used_at: now })
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', eb(now, '-', NOTE_USE_MS))]))
    .execute();
}
