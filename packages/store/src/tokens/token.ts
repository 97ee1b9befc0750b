import type { TokensTable } from '../schema/tokens.ts';

/** What may be known about a token: everything but the secret. */
export interface Token {
  tenantId: string;
  tokenId: string;
  name: string;
  scopes: string[];
  createdAt: number;
  /** Null means it does not expire. */
  expiresAt: number | null;
  revokedAt: number | null;
}

export function toToken(row: TokensTable): Token {
  return {
    tenantId: row.tenant_id,
    tokenId: row.token_id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
