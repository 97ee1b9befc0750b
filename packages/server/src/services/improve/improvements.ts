import { createIdSource, isRecord, LachesisError, type ModelImprovement } from '@lachesis/protocol';
import {
  deleteDataset,
  endImprovement,
  findImprovement,
  listDatasets,
  listImprovements,
  type BlobStore,
  type Improvement,
} from '@lachesis/store';
import { findImprovementId } from '../library/find-by-beginning.ts';
import type { ModelScope } from '../models/find-start.ts';
import { openSystemProcesses } from '../runs/supervisor/system-processes.ts';
import { STOPPED } from './gates.ts';
import { improvementSource } from './plan.ts';

/** Improvements, the newest first: where each stands, and how it ended. */
export async function listModelImprovements({
  model,
  ...scope
}: ModelScope & { model?: string | undefined }): Promise<ModelImprovement[]> {
  const found = await listImprovements({ ...scope, model });
  const now = await scope.store.now();
  return found.map((improvement) => describeImprovement(improvement, now));
}

/** One improvement: by its id, by the beginning of it, or by its model, which means the newest of that model. */
export async function showImprovement(options: ModelScope & { ref: string }): Promise<ModelImprovement> {
  return describeImprovement(await needImprovement(options), await options.store.now());
}

/**
 * Ends one that is open, wherever it runs: what its process writes from then on is refused, and within a second or two it
 * sees that and ends too. One that had ended stays as it was.
 */
export async function stopImprovement(
  options: ModelScope & { ref: string; reason: string; blobs?: BlobStore | undefined },
): Promise<ModelImprovement> {
  const { store, tenantId, blobs, reason } = options;
  const { improvementId } = await needImprovement(options);
  const holder = `stop-${createIdSource().next()}`;
  const isEnded = await endImprovement({ store, tenantId, improvementId, holder, outcome: STOPPED, reason });
  if (isEnded && blobs !== undefined) await freeRows({ store, tenantId, blobs, improvementId });
  return await showImprovement({ store, tenantId, ref: improvementId });
}

/** What it made for a training that was not: nothing is held out for that any longer. */
async function freeRows(options: ModelScope & { blobs: BlobStore; improvementId: string }): Promise<void> {
  const { store, tenantId, blobs, improvementId } = options;
  const { stages } = (await findImprovement({ store, tenantId, ref: improvementId })) ?? { stages: [] };
  if (stages.some(({ stage }) => stage === 'train')) return;
  const own = (await listDatasets({ store, tenantId })).filter(
    ({ recipe }) => isRecord(recipe) && recipe['from'] === improvementSource(improvementId),
  );
  for (const { dataset_id: datasetId } of own) await deleteDataset({ store, blobs, tenantId, datasetId });
}

/** Throws `not-found`. */
export async function needImprovement({ store, tenantId, ref }: ModelScope & { ref: string }): Promise<Improvement> {
  const named = await findImprovement({ store, tenantId, ref });
  if (named !== undefined) return named;
  const id = await findImprovementId({ store, tenantId, ref });
  const found = id === undefined ? undefined : await findImprovement({ store, tenantId, ref: id });
  if (found !== undefined) return found;
  throw new LachesisError({
    code: 'not-found',
    message: `there is no improvement ${JSON.stringify(ref.slice(0, 100))}`,
    hint: '`lachesis improve status` lists them all, and GET /improvements.',
  });
}

/** What there is to go on with: the one that is named, or of all the newest that is open. */
export async function findInterrupted({
  ref,
  ...scope
}: ModelScope & { ref: string | undefined }): Promise<Improvement | undefined> {
  if (ref !== undefined) return await needImprovement({ ...scope, ref });
  return (await listImprovements(scope)).find(({ endedAt }) => endedAt === null);
}

/** Whether a process brings it on, as far as can be known here: a lease of another machine has to run out. */
export function isBroughtOn({ holder, leaseExpiresAt }: Improvement, now: number): boolean {
  if (holder === null || (leaseExpiresAt ?? 0) <= now) return false;
  return !openSystemProcesses().isGone(holder.slice(holder.indexOf('@') + 1));
}

/** As the wire has it. */
export function describeImprovement(improvement: Improvement, now: number): ModelImprovement {
  return {
    improvement_id: improvement.improvementId,
    model: improvement.model,
    stage: improvement.stage,
    outcome: improvement.outcome,
    reason: improvement.reason,
    problem: improvement.problem,
    stages: improvement.stages.map(({ stage, content }) => ({ stage, content })),
    state: stateOf(improvement, now),
    progress: improvement.progress,
    created_at: improvement.createdAt,
    ended_at: improvement.endedAt,
  };
}

function stateOf(improvement: Improvement, now: number): ModelImprovement['state'] {
  if (improvement.endedAt !== null) return 'ended';
  if (isBroughtOn(improvement, now)) return 'running';
  return improvement.runner === 'server' ? 'waiting' : 'interrupted';
}
