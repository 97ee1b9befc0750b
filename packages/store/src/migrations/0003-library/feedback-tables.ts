/** What people, rules and judges said. */
export function feedbackTables(): string[] {
  return [
    `create table feedback (
      tenant_id text not null,
      feedback_id text not null,
      trajectory_id text not null,
      turn_index bigint,
      author text not null,
      author_kind text not null,
      key text not null,
      revision bigint not null,
      kind text not null,
      value double precision,
      content text not null,
      revises text,
      created_at bigint not null,
      withdrawn_at bigint,
      primary key (tenant_id, feedback_id),
      unique (tenant_id, author, key, revision)
    )`,
    'create index feedback_by_trajectory on feedback (tenant_id, trajectory_id, created_at)',
    'create index feedback_by_time on feedback (tenant_id, created_at)',
    'create unique index feedback_by_revised on feedback (tenant_id, revises) where revises is not null',
  ];
}
