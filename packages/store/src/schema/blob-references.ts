/** How many rows of a tenant point at a blob; a digest without a positive count anywhere is an orphan. */
export interface BlobReferencesTable {
  tenant_id: string;
  digest: string;
  bytes: number;
  reference_count: number;
  created_at: number;
}
