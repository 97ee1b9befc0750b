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

/** Which blobs belong to this database: one row, made when it first met a folder of blobs. */
export interface LibraryTable {
  /** Always 1: there is one row. */
  slot: number;
  library_id: string;
  /** The last opening by a server; its sign is in the folder, and in no copy that was made before. */
  opening: string | null;
  created_at: number;
}

/** A setting and where its value came from. */
export interface SettingsTable {
  tenant_id: string;
  /** What it applies to, such as `server` or `run:<id>`. */
  scope: string;
  name: string;
  /** JSON text. */
  value: string;
  /** `default`, `environment`, `file`, `option` or who set it. */
  origin: string;
  updated_at: number;
}

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

/** How many rows of a tenant point at a blob; a digest without a positive count anywhere is an orphan. */
export interface BlobReferencesTable {
  tenant_id: string;
  digest: string;
  bytes: number;
  reference_count: number;
  created_at: number;
}

/** `turns`: contents of recorded turns. `groups`: rows of groups that were settled. */
export const COLD_KINDS = Object.freeze(['turns', 'groups'] as const);
export type ColdKind = (typeof COLD_KINDS)[number];

/** A Parquet file among the payloads that holds what left the database. */
export interface ColdFilesTable {
  tenant_id: string;
  digest: string;
  kind: ColdKind;
  /** Of groups; contents of turns of many runs share a file. */
  run_id: string | null;
  row_count: number;
  bytes: number;
  /** When the youngest of its rows was settled or said. */
  last_at: number;
  made_at: number;
}
