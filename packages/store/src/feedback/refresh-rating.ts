import type { Store, WriteStatement } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';

/**
 * Computes the trajectory's rating from its feedback, inside the unit that changes it: whoever commits last counts all.
 * People's thumbs, stars and scores; marks of single steps are about the step. What was revised or withdrawn is out.
 */
export function refreshRating(options: { store: Store; tenantId: string; trajectoryId: string }): WriteStatement[] {
  const { store, tenantId, trajectoryId } = options;
  const { dialect } = store;
  const parameters = [tenantId, trajectoryId];
  const current = `from feedback f where f.tenant_id = trajectories.tenant_id
    and f.trajectory_id = trajectories.trajectory_id and f.withdrawn_at is null
    and not exists (select 1 from feedback n where n.tenant_id = f.tenant_id and n.revises = f.feedback_id)`;
  const lock = 'select 1 from trajectories where tenant_id = ? and trajectory_id = ? for update';
  const update = writeSql({
    dialect,
    text: `update trajectories set
      feedback_count = (select count(*) ${current}),
      rating = (select avg(f.value) ${current} and f.author_kind = 'person' and f.kind in ('thumb', 'stars', 'score'))
      where tenant_id = ? and trajectory_id = ?`,
    parameters,
  });
  // A statement of PostgreSQL that waited for the row counts what there was before it waited; one after the wait does not.
  return dialect === 'postgres' ? [writeSql({ dialect, text: lock, parameters }), update] : [update];
}
