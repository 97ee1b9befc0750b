import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';

export interface RevokeTokenOptions {
  store: Store;
  tenantId: string;
  tokenId: string;
}

/** From its return on the token proves nothing. False when there is no such token or it was revoked before. */
export async function revokeToken({ store, tenantId, tokenId }: RevokeTokenOptions): Promise<boolean> {
  const { numUpdatedRows } = await store.db
    .updateTable('tokens')
    .set({ revoked_at: databaseClock(store.dialect) })
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
