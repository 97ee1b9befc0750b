/** An access token; the secret itself is never stored. */
export interface TokensTable {
  tenant_id: string;
  token_id: string;
  name: string;
  /** sha256 of the secret, lower-case hex. */
  secret_hash: string;
  /** JSON text: a list of scope names. */
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** A kind of `TOKEN_KINDS`. */
  kind: string;
  /** The name of the only run it is good for; null for all of the tenant. */
  run: string | null;
  /** Written at most once a minute. */
  last_used_at: number | null;
}
