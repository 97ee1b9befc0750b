import type { StoreDialect } from '../migration.ts';

/**
 * What a list shows and filters by. An index that ends in `trajectory_id` gives its rows newest first, so that a page of
 * a million is fifty steps along it.
 */
export function trajectoryColumns(dialect: StoreDialect): string[] {
  const bytes = dialect === 'postgres' ? 'bytea' : 'blob';
  return [
    ...[
      'key text',
      'recorder text',
      `source text not null default ''`,
      'model text',
      'user_name text',
      `title text not null default ''`,
      'reward double precision',
      'rating double precision',
      'feedback_count bigint not null default 0',
      `tags text not null default '[]'`,
      'tool_call_count bigint not null default 0',
      'error_count bigint not null default 0',
      'reply_count bigint not null default 0',
      'token_count bigint',
      'completion_tokens bigint not null default 0',
      'cost double precision',
      'has_tokens bigint not null default 0',
      'missing_records bigint not null default 0',
      'gaps text',
      'updated_at bigint not null default 0',
      'search_id bigint',
      'version bigint not null default 0',
    ].map((column) => `alter table trajectories add column ${column}`),
    'create unique index trajectories_by_key on trajectories (tenant_id, key) where key is not null',
    'create index trajectories_by_updated on trajectories (tenant_id, updated_at, trajectory_id)',
    // The retention goes by age alone.
    'create index trajectories_by_age on trajectories (updated_at)',
    'create index trajectories_by_model on trajectories (tenant_id, model, trajectory_id)',
    'create index trajectories_by_user on trajectories (tenant_id, user_name, trajectory_id) where user_name is not null',
    'create index trajectories_by_source on trajectories (tenant_id, source, trajectory_id)',
    'create index trajectories_by_outcome on trajectories (tenant_id, outcome, trajectory_id) where outcome is not null',
    'create index trajectories_by_reward on trajectories (tenant_id, reward, trajectory_id) where reward is not null',
    'create index trajectories_by_rating on trajectories (tenant_id, rating, trajectory_id) where rating is not null',
    'create index trajectories_by_tokens on trajectories (tenant_id, token_count, trajectory_id)',
    'create index trajectories_by_turns on trajectories (tenant_id, turn_count, trajectory_id)',
    'create index trajectories_by_error on trajectories (tenant_id, trajectory_id) where error_count > 0',
    'create index trajectories_by_feedback on trajectories (tenant_id, trajectory_id) where feedback_count > 0',
    ...[
      'state text',
      'parent_index bigint',
      'kept_messages bigint not null default 0',
      `prefixes text not null default ''`,
      `payload ${bytes}`,
      'content_digests text',
    ].map((column) => `alter table turns add column ${column}`),
  ];
}
