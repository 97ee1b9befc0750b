/** Which blobs belong to this database: one row, made when it first met a folder of blobs. */
export interface LibraryTable {
  /** Always 1: there is one row. */
  slot: number;
  library_id: string;
  /** The last opening by a server; its sign is in the folder, and in no copy that was made before. */
  opening: string | null;
  created_at: number;
}
