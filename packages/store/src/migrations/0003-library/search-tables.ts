import type { StoreDialect } from '../migration.ts';

/**
 * The words of each turn. The text itself is in the payload only: both engines keep the words and where they stand.
 * On SQLite the rowid is the trajectory's search_id and the turn's index in one number, so that hits come newest first
 * without a sort. On PostgreSQL the words are made by `simple`, because no language is known.
 */
export function searchTables(dialect: StoreDialect): string[] {
  if (dialect === 'sqlite') {
    return [
      'create unique index trajectories_by_search on trajectories (search_id)',
      `create virtual table turn_search using fts5(
        body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
      )`,
    ];
  }
  return [
    `create table turn_search (
      tenant_id text not null,
      trajectory_id text not null,
      turn_index bigint not null,
      body tsvector not null,
      primary key (tenant_id, trajectory_id, turn_index)
    )`,
    'create index turn_search_by_word on turn_search using gin (body)',
  ];
}
