import type { Consent } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { insertRow, writeSql } from '../database/write-row.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';

/** Each failed try means that somebody else wrote the trajectory. */
const MAX_TRIES = 20;

export interface TagTrajectoryOptions {
  store: Store;
  tenantId: string;
  trajectoryId: string;
  add?: readonly string[];
  remove?: readonly string[];
}

/** Adds and removes tags; returns those it has then, or undefined when there is no such trajectory. */
export async function tagTrajectory(options: TagTrajectoryOptions): Promise<string[] | undefined> {
  const { store, tenantId, trajectoryId, add = [], remove = [] } = options;
  const { db, dialect } = store;
  for (let tries = 1; ; tries += 1) {
    const row = await db
      .selectFrom('trajectories')
      .select(['tags', 'version'])
      .where('tenant_id', '=', tenantId)
      .where('trajectory_id', '=', trajectoryId)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const before = JSON.parse(row.tags) as string[];
    const tags = [...new Set([...before, ...add])].filter((tag) => !remove.includes(tag));
    const ids = { tenant_id: tenantId, trajectory_id: trajectoryId };
    try {
      await store.commit({
        statements: [
          writeSql({
            dialect,
            text: `update trajectories set tags = ?, version = version + 1
              where tenant_id = ? and trajectory_id = ? and version = ?`,
            parameters: [JSON.stringify(tags), tenantId, trajectoryId, row.version],
            expectRows: 1,
          }),
          ...remove.map((tag) =>
            writeSql({
              dialect,
              text: 'delete from trajectory_tags where tenant_id = ? and tag = ? and trajectory_id = ?',
              parameters: [tenantId, tag, trajectoryId],
            }),
          ),
          ...tags.map((tag) =>
            insertRow({ dialect, table: 'trajectory_tags', row: { ...ids, tag }, suffix: 'on conflict do nothing' }),
          ),
        ],
      });
      return tags;
    } catch (error) {
      if (!StaleWriteError.isInstance(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Says what the person allows; false when there is no such trajectory. */
export async function setConsent(options: {
  store: Store;
  tenantId: string;
  trajectoryId: string;
  consent: Consent;
}): Promise<boolean> {
  const { store, tenantId, trajectoryId, consent } = options;
  const result = await store.db
    .updateTable('trajectories')
    .set((eb) => ({ consent, version: eb('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', '=', trajectoryId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
