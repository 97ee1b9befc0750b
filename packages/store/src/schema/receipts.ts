/** The reply given to a POST, kept so that the same body sent again by the same environment gets the same answer. */
export interface PostReceiptsTable {
  tenant_id: string;
  incarnation_id: string;
  /** Who sent it, as the queue tells environments apart. */
  env_key: string;
  body_digest: string;
  receipt_id: string;
  /** The reply as JSON text. */
  reply: string;
  received_at: number;
}
