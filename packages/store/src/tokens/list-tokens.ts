import type { Store } from '../database/store.ts';
import { toToken } from './token.ts';
import type { Token } from './token.ts';

/** All tokens of a tenant, oldest first, expired and revoked ones too; codes are none. */
export async function listTokens(options: { store: Store; tenantId: string }): Promise<Token[]> {
  const rows = await options.store.db
    .selectFrom('tokens')
    .selectAll()
    .where('tenant_id', '=', options.tenantId)
    .where('kind', '!=', 'session-code')
    .orderBy('token_id')
    .execute();
  return rows.map((row) => toToken(row));
}

/**
 * How many tokens of all tenants people ever made, revoked ones too. Zero means that this server has never asked for any;
 * those that a supervisor minted for its own processes close no server.
 */
export async function countTokens(options: { store: Store }): Promise<number> {
  const row = await options.store.db
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('kind', '=', 'person')
    .executeTakeFirstOrThrow();
  return row.count;
}
