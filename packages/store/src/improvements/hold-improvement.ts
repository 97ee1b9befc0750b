import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { JsonObject } from '../models/model-version.ts';
import type { ImprovementsTable } from '../schema/improvements.ts';
import { findImprovement } from './find-improvements.ts';
import type { Improvement } from './improvement.ts';

/** Somebody who brings an improvement on, in one of its epochs. */
export interface HeldImprovement {
  store: Store;
  tenantId: string;
  improvementId: string;
  holder: string;
  epoch: number;
}

/**
 * Makes `holder` the one who brings an improvement on, if nobody does: it was never taken, was given back, its lease has
 * run out, or `isGone` knows that its holder is dead. Undefined when somebody holds it, or it has ended.
 */
export async function takeImprovement(
  options: Omit<HeldImprovement, 'epoch'> & { seconds: number; isGone?: (holder: string) => boolean },
): Promise<Improvement | undefined> {
  const { store, tenantId, improvementId, holder, seconds, isGone = () => false } = options;
  const known = await findImprovement({ store, tenantId, ref: improvementId });
  if (known === undefined || known.endedAt !== null) return undefined;
  const now = await store.now();
  const isFree = known.holder === null || (known.leaseExpiresAt ?? 0) <= now || isGone(known.holder);
  if (!isFree) return undefined;
  const held = { ...options, holder: known.holder, epoch: known.epoch };
  const columns = { holder, epoch: known.epoch + 1, lease_expires_at: now + seconds * 1000 };
  if (!(await change(held, columns))) return undefined;
  return { ...known, holder, epoch: columns.epoch, leaseExpiresAt: columns.lease_expires_at };
}

/** False when it is somebody else's now. */
export async function renewImprovement(held: HeldImprovement & { seconds: number }): Promise<boolean> {
  return change(held, { lease_expires_at: (await held.store.now()) + held.seconds * 1000 });
}

/** Gives it back, so that the next one need not wait. `problem` says what stopped it. */
export function releaseImprovement(held: HeldImprovement & { problem?: string | null }): Promise<boolean> {
  const { problem } = held;
  return change(held, { holder: null, lease_expires_at: null, ...(problem === undefined ? {} : { problem }) });
}

export interface AdvanceImprovementOptions extends HeldImprovement {
  /** The stage that is done. */
  from: string;
  content: JsonObject;
  /** The stage that follows, or how it all ended. */
  to: { stage: string } | { outcome: string; reason: string };
}

/**
 * Writes what a stage came to and moves on, in one commit. False, and nothing is written, when it is somebody else's now
 * or does not stand at this stage.
 */
export async function advanceImprovement(options: AdvanceImprovementOptions): Promise<boolean> {
  const { store, tenantId, improvementId, from, content, to } = options;
  const known = await findImprovement({ store, tenantId, ref: improvementId });
  if (known === undefined || known.stage !== from || known.endedAt !== null) return false;
  const now = await store.now();
  const row = {
    ...{ tenant_id: tenantId, improvement_id: improvementId, ordinal: known.stages.length + 1 },
    ...{ stage: from, content: toCanonicalJson(content), at: now },
  };
  const columns =
    'stage' in to
      ? { stage: to.stage, changed_at: now, problem: null }
      : { ...to, changed_at: now, ended_at: now, problem: null, holder: null, lease_expires_at: null };
  return change(options, columns, {
    from,
    // Its key is the second guard: a stage is written down once.
    statements: [insertRow({ dialect: store.dialect, table: 'improvement_stages', row, expectRows: 1 })],
  });
}

async function change(
  held: Omit<HeldImprovement, 'holder'> & { holder: string | null },
  columns: Partial<ImprovementsTable>,
  { from, statements = [] }: { from?: string; statements?: Parameters<Store['commit']>[0]['statements'] } = {},
): Promise<boolean> {
  const { store, tenantId, improvementId, holder, epoch } = held;
  let query = store.db
    .updateTable('improvements')
    .set(columns)
    .where('tenant_id', '=', tenantId)
    .where('improvement_id', '=', improvementId)
    .where('epoch', '=', epoch)
    .where('holder', holder === null ? 'is' : '=', holder)
    .where('ended_at', 'is', null);
  if (from !== undefined) query = query.where('stage', '=', from);
  try {
    await store.commit({ statements: [{ query: query.compile(), expectRows: 1 }, ...statements] });
    return true;
  } catch (error) {
    if (StaleWriteError.isInstance(error) || StoreConflictError.isInstance(error)) return false;
    throw error;
  }
}
