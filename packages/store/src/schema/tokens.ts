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
}
