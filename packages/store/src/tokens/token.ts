import type { TokensTable } from '../schema/platform.ts';

/**
 * Whose a token is: made by somebody for somebody, minted by a supervisor for one process of a run, or held by a page for a while.
 * The code that opens a session lies among them and is no token.
 */
export const TOKEN_KINDS = Object.freeze(['person', 'process', 'session', 'session-code'] as const);

export type TokenKind = (typeof TOKEN_KINDS)[number];

/** What may be known about a token: everything but the secret. */
export interface Token {
  tenantId: string;
  tokenId: string;
  name: string;
  kind: TokenKind;
  scopes: string[];
  /** The name of the only run it is good for; null for all of the tenant. */
  run: string | null;
  createdAt: number;
  /** Null means it does not expire. */
  expiresAt: number | null;
  revokedAt: number | null;
  /** To the minute; null for one that was never used. */
  lastUsedAt: number | null;
}

export function toToken(row: TokensTable): Token {
  return {
    tenantId: row.tenant_id,
    tokenId: row.token_id,
    name: row.name,
    kind: TOKEN_KINDS.find((kind) => kind === row.kind) ?? 'person',
    scopes: JSON.parse(row.scopes) as string[],
    run: row.run,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
