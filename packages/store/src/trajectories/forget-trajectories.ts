import { rerollKey } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { forgetDatasetRows } from '../datasets/forget-dataset-rows.ts';
import { forgetExamples } from '../improvements/forget-examples.ts';
import { traceForward } from '../lineage/trace.ts';
import { findModelsById } from '../models/find-models.ts';
import { nameForgotten } from './captures/capture-state.ts';
import { deleteTrajectories } from './delete-trajectories.ts';
import { eraseDeletedPages, eraseOnDelete } from './erase-deleted-pages.ts';

/** Trajectories of one commit: others record between two of them. */
const PORTION = 100;

export interface ForgetOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  /** One trajectory, by id or key. */
  trajectoryId?: string;
  /** Or everything of one person. */
  user?: string;
}

export interface ForgetReport {
  trajectories: number;
  /** Versions that had rows of them, as `name@version`: the rows are marked and their text is gone. */
  datasets: string[];
  /** Models that learned from such a version, or from such a model, as `name@version`: their weights stay as they are. */
  models: string[];
}

/**
 * Forgets: rows, words, feedback and the blobs nobody else refers to are gone when it resolves. What stays is that
 * something with this id was forgotten and when, so that a record sent again does not bring it back.
 *
 * Die between two portions: the rest is there, and forgetting again goes on.
 */
export async function forgetTrajectories(options: ForgetOptions): Promise<ForgetReport> {
  const { store, blobs, tenantId, trajectoryId, user } = options;
  const { dialect } = store;
  const datasets = new Set<string>();
  const models = new Set<string>();
  let trajectories = 0;
  await eraseOnDelete(store);
  const forgottenAt = await store.now();
  if (user !== undefined) {
    // First: what the person's recorders send from here on about the time before is not taken.
    const row = {
      tenant_id: tenantId,
      kind: 'user',
      name: nameForgotten('user', user),
      trajectory_id: '',
      forgotten_at: forgottenAt,
    };
    await store.commit({ statements: [insertTombstone(store, row)] });
  }
  await forgetWaiting(options);
  for (;;) {
    const found = await findPortion(options);
    if (found.length === 0) break;
    const trajectoryIds = found.map((row) => row.trajectory_id);
    for (const name of await forgetDatasetRows({ store, blobs, tenantId, trajectoryIds, forgottenAt }))
      datasets.add(name);
    await forgetExamples({ store, tenantId, trajectoryIds });
    for (const name of await findLearned(options, trajectoryIds)) models.add(name);
    const tombstones = found.flatMap(({ trajectory_id: id, key }) =>
      [
        { kind: 'trajectory', name: id },
        ...(key === null ? [] : [{ kind: 'key', name: nameForgotten('key', key) }]),
      ].map((one) =>
        insertTombstone(store, { tenant_id: tenantId, ...one, trajectory_id: id, forgotten_at: forgottenAt }),
      ),
    );
    await deleteTrajectories({ store, blobs, tenantId, trajectoryIds, besides: tombstones });
    trajectories += found.length;
    if (trajectoryId !== undefined && user === undefined) break;
  }
  if (trajectories > 0 && dialect === 'sqlite') await eraseDeletedPages(store);
  return { trajectories, datasets: [...datasets].sort(), models: [...models].sort() };
}

/** Feedback that came before its record has nothing to go with. */
async function forgetWaiting({ store, tenantId, trajectoryId, user }: ForgetOptions): Promise<void> {
  const waiting = store.db.deleteFrom('waiting_feedback').where('tenant_id', '=', tenantId);
  if (trajectoryId !== undefined) await waiting.where('name', '=', trajectoryId).execute();
  if (user !== undefined) await waiting.where('author', '=', user).execute();
}

async function findLearned({ store, tenantId }: ForgetOptions, trajectoryIds: readonly string[]): Promise<string[]> {
  const from = trajectoryIds.map((id) => ({ kind: 'trajectory' as const, id }));
  const { nodes } = await traceForward({ store, tenantId, from });
  const ids = nodes.filter(({ kind }) => kind === 'model').map(({ id }) => id);
  return (await findModelsById({ store, tenantId, ids })).map(({ name, version }) => `${name}@${version}`);
}

async function findPortion({ store, tenantId, trajectoryId, user }: ForgetOptions) {
  if (trajectoryId === undefined && user === undefined) return [];
  let query = store.db.selectFrom('trajectories').select(['trajectory_id', 'key']).where('tenant_id', '=', tenantId);
  if (trajectoryId !== undefined) {
    query = query.where((eb) => eb.or([eb('trajectory_id', '=', trajectoryId), eb('key', '=', trajectoryId)]));
  }
  if (user !== undefined) query = query.where('user_name', '=', user);
  const own = await query.orderBy('trajectory_id').limit(PORTION).execute();
  if (own.length === 0) return own;
  // What was sampled again from their words holds the same words.
  const rerolled = await store.db
    .selectFrom('trajectories')
    .select(['trajectory_id', 'key'])
    .where('tenant_id', '=', tenantId)
    .where(
      'key',
      'in',
      own.map((row) => rerollKey(row.trajectory_id)),
    )
    .execute();
  const ids = new Set(own.map((row) => row.trajectory_id));
  return [...own, ...rerolled.filter((row) => !ids.has(row.trajectory_id))];
}

function insertTombstone(
  { dialect }: Store,
  row: { tenant_id: string; kind: string; name: string; trajectory_id: string; forgotten_at: number },
) {
  return insertRow({
    dialect,
    table: 'forgotten',
    row,
    suffix: 'on conflict (tenant_id, kind, name) do update set forgotten_at = excluded.forgotten_at',
  });
}
