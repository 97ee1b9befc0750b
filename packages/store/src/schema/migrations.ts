/** Which migrations a database has had. It describes the database itself, so it belongs to no tenant. */
export interface MigrationsTable {
  number: number;
  name: string;
  /** sha256 over the statements that were run. */
  checksum: string;
  /** The oldest server, by the number of its newest migration, that can still work on the schema after this one. */
  min_reader: number;
  applied_at: number;
}
