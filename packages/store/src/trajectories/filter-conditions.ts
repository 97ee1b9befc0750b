import type { TrajectoryFilter } from '@lachesis/protocol';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { StoreDialect } from '../migrations/migration.ts';

export type Condition = RawBuilder<boolean>;

/**
 * What a filter asks of the row `t`, the text left out. On SQLite the plus before a column keeps its index out of the
 * plan: which index leads is chosen by counting (`choose-lead.ts`), and a wrong guess would sort a million rows.
 */
export function listConditions(options: {
  dialect: StoreDialect;
  tenantId: string;
  filter: TrajectoryFilter;
}): Condition[] {
  const { dialect, tenantId, filter } = options;
  const column = (name: string): RawBuilder<unknown> => sql.raw(dialect === 'sqlite' ? `+t.${name}` : `t.${name}`);
  const conditions: Condition[] = [];
  const equal = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) conditions.push(sql<boolean>`${column(name)} = ${value}`);
  };
  const between = (name: string, least: number | undefined, most: number | undefined): void => {
    if (least !== undefined) conditions.push(sql<boolean>`${column(name)} >= ${least}`);
    if (most !== undefined) conditions.push(sql<boolean>`${column(name)} <= ${most}`);
  };
  equal('model', filter.model);
  equal('source', filter.source);
  equal('user_name', filter.user);
  equal('run_id', filter.run);
  equal('key', filter.key);
  equal('outcome', filter.outcome);
  equal('consent', filter.consent);
  equal('split', filter.split);
  equal('has_tokens', filter.has_tokens === undefined ? undefined : Number(filter.has_tokens));
  between('reward', filter.min_reward, filter.max_reward);
  between('rating', filter.min_rating, filter.max_rating);
  between('turn_count', filter.min_turns, filter.max_turns);
  between('token_count', filter.min_tokens, filter.max_tokens);
  between('updated_at', filter.since, undefined);
  if (filter.until !== undefined) conditions.push(sql<boolean>`${column('updated_at')} < ${filter.until}`);
  if (filter.has_error !== undefined) {
    conditions.push(
      filter.has_error ? sql<boolean>`${column('error_count')} > 0` : sql<boolean>`${column('error_count')} = 0`,
    );
  }
  if (filter.has_feedback !== undefined) {
    conditions.push(
      filter.has_feedback
        ? sql<boolean>`${column('feedback_count')} > 0`
        : sql<boolean>`${column('feedback_count')} = 0`,
    );
  }
  if (filter.is_rated !== undefined) {
    conditions.push(
      filter.is_rated ? sql<boolean>`${column('rating')} is not null` : sql<boolean>`${column('rating')} is null`,
    );
  }
  if (filter.tool !== undefined) {
    conditions.push(sql<boolean>`exists (select 1 from tool_calls c
      where c.tenant_id = ${tenantId} and c.tool = ${filter.tool} and c.trajectory_id = t.trajectory_id)`);
  }
  if (filter.tag !== undefined) {
    conditions.push(sql<boolean>`exists (select 1 from trajectory_tags g
      where g.tenant_id = ${tenantId} and g.tag = ${filter.tag} and g.trajectory_id = t.trajectory_id)`);
  }
  return conditions;
}
