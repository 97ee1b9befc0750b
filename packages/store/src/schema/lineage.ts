/** An arrow between two records: this was made from that. */
export interface LineageTable {
  tenant_id: string;
  from_kind: string;
  from_id: string;
  to_kind: string;
  to_id: string;
  relation: string;
  at: number;
}
