/** The reply that belongs to a client's idempotency key; the same key with another body digest is a conflict. */
export interface IdempotencyKeysTable {
  tenant_id: string;
  run_id: string;
  key: string;
  body_digest: string;
  /** The reply as JSON text. */
  reply: string;
  created_at: number;
}
