/** Who alone may write about a thing, and until when. One row for each thing that was ever leased. */
export interface LeasesTable {
  tenant_id: string;
  /** What sort of thing, one of LEASE_KINDS. */
  kind: string;
  /** Which one. */
  resource: string;
  /** Null when nobody has it. */
  holder: string | null;
  /** Goes up each time it is acquired; what carries an older one is refused. */
  epoch: number;
  /** By the database's clock; null when nobody has it. */
  lease_expires_at: number | null;
}
