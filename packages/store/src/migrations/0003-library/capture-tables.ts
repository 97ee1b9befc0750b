import type { StoreDialect } from '../migration.ts';

/** What ingest asks for by key: on SQLite these rows live in the tree of their key, so that a write touches one tree. */
export function captureTables(dialect: StoreDialect): string[] {
  const options = dialect === 'sqlite' ? 'without rowid' : '';
  return [
    `create table turn_replies (
      tenant_id text not null,
      digest text not null,
      trajectory_id text not null,
      turn_index bigint not null,
      primary key (tenant_id, digest, trajectory_id, turn_index)
    ) ${options}`,
    'create index turn_replies_by_trajectory on turn_replies (tenant_id, trajectory_id)',
    `create table tool_calls (
      tenant_id text not null,
      tool text not null,
      trajectory_id text not null,
      call_count bigint not null,
      primary key (tenant_id, tool, trajectory_id)
    ) ${options}`,
    'create index tool_calls_by_trajectory on tool_calls (tenant_id, trajectory_id)',
    `create table trajectory_tags (
      tenant_id text not null,
      tag text not null,
      trajectory_id text not null,
      primary key (tenant_id, tag, trajectory_id)
    ) ${options}`,
    'create index trajectory_tags_by_trajectory on trajectory_tags (tenant_id, trajectory_id)',
    `create table capture_records (
      tenant_id text not null,
      record_id text not null,
      trajectory_id text not null,
      turn_index bigint,
      at bigint not null,
      primary key (tenant_id, record_id)
    ) ${options}`,
    'create index capture_records_by_age on capture_records (at)',
    `create table capture_streams (
      tenant_id text not null,
      recorder text not null,
      stream text not null,
      next_sequence bigint not null,
      gaps text not null,
      version bigint not null,
      updated_at bigint not null,
      primary key (tenant_id, recorder, stream)
    ) ${options}`,
    'create index capture_streams_by_age on capture_streams (updated_at)',
    'create index capture_streams_by_stream on capture_streams (tenant_id, stream)',
    `create table forgotten (
      tenant_id text not null,
      kind text not null,
      name text not null,
      trajectory_id text not null,
      forgotten_at bigint not null,
      primary key (tenant_id, kind, name)
    ) ${options}`,
  ];
}
