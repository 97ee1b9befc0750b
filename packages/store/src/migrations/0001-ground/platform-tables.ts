/** Settings, tokens, blob references and lineage. */
export function platformTables(): string[] {
  return [
    `create table settings (
      tenant_id text not null,
      scope text not null,
      name text not null,
      value text not null,
      origin text not null,
      updated_at bigint not null,
      primary key (tenant_id, scope, name)
    )`,
    `create table tokens (
      tenant_id text not null,
      token_id text not null,
      name text not null,
      secret_hash text not null,
      scopes text not null,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      primary key (tenant_id, token_id)
    )`,
    // A caller proves its tenant by the token, so the token is looked up before the tenant is known.
    `create unique index tokens_by_id on tokens (token_id)`,
    `create table blob_references (
      tenant_id text not null,
      digest text not null,
      bytes bigint not null,
      reference_count bigint not null,
      created_at bigint not null,
      primary key (tenant_id, digest)
    )`,
    // A file is shared by all tenants that sent the same bytes; the collector asks for the digest alone.
    `create index blob_references_by_digest on blob_references (digest)`,
    `create table lineage (
      tenant_id text not null,
      from_kind text not null,
      from_id text not null,
      to_kind text not null,
      to_id text not null,
      relation text not null,
      at bigint not null,
      primary key (tenant_id, from_kind, from_id, relation, to_kind, to_id)
    )`,
    `create index lineage_backwards on lineage (tenant_id, to_kind, to_id)`,
  ];
}
