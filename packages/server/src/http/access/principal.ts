import type { Scope } from '@lachesis/protocol';
import { LOCAL_TENANT } from '@lachesis/protocol/names';

export { LOCAL_TENANT };

/** Who is calling. The tenant comes from the token, never from what the caller writes. */
export interface Principal {
  tenantId: string;
  scopes: readonly Scope[];
  /** The name of the only run the token is good for; null for all runs of the tenant. */
  run: string | null;
  /** Null on a loopback server that has no tokens yet. */
  tokenId: string | null;
}

export const LOCAL_PRINCIPAL: Principal = { tenantId: LOCAL_TENANT, scopes: ['admin'], run: null, tokenId: null };
