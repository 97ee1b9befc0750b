/** Versions of data sets, their rows, and what may not be trained on. */
export function datasetTables(): string[] {
  return [
    `create table dataset_versions (
      tenant_id text not null,
      dataset_id text not null,
      name text not null,
      version bigint not null,
      is_held_out bigint not null,
      row_count bigint not null,
      content_digest text not null,
      recipe text not null,
      splits text not null,
      created_at bigint not null,
      primary key (tenant_id, dataset_id),
      unique (tenant_id, name, version)
    )`,
    `create table dataset_chunks (
      tenant_id text not null,
      dataset_id text not null,
      chunk_index bigint not null,
      row_count bigint not null,
      payload_digest text not null,
      payload_bytes bigint not null,
      primary key (tenant_id, dataset_id, chunk_index)
    )`,
    `create table dataset_rows (
      tenant_id text not null,
      dataset_id text not null,
      row_index bigint not null,
      chunk_index bigint not null,
      record_digest text not null,
      trajectory_id text,
      split text not null,
      forgotten_at bigint,
      primary key (tenant_id, dataset_id, row_index)
    )`,
    'create index dataset_rows_by_trajectory on dataset_rows (tenant_id, trajectory_id) where trajectory_id is not null',
    `create table held_out_digests (
      tenant_id text not null,
      digest text not null,
      dataset_id text not null,
      primary key (tenant_id, digest, dataset_id)
    )`,
  ];
}
