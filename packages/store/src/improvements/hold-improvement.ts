import type { Store, WriteStatement } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import { planAcquisition, type AcquireLeaseOptions, type HeldOptions } from '../leases/acquire-lease.ts';
import { fence } from '../leases/fence.ts';
import type { Lease } from '../leases/lease.ts';
import { releaseStatement } from '../leases/lease-statements.ts';
import type { JsonObject } from '../models/model-version.ts';
import type { ImprovementsTable } from '../schema/models.ts';
import { findImprovement } from './find-improvements.ts';
import type { Improvement, ImprovementRunner } from './improvement.ts';

/** Makes `holder` the one who brings an improvement on. Undefined when somebody does, or it has ended. */
export async function acquireImprovement(
  options: Omit<AcquireLeaseOptions, 'kind' | 'resource'> & { improvementId: string },
): Promise<{ improvement: Improvement; lease: Lease } | undefined> {
  const { store, tenantId, improvementId } = options;
  const plan = await planAcquisition({ ...options, kind: 'improvement', resource: improvementId });
  if ('heldBy' in plan) return undefined;
  const { lease, statement } = plan;
  if (!(await isKept(store, [statement, changeOpen({ store, lease, columns: {} })]))) return undefined;
  const improvement = await findImprovement({ store, tenantId, ref: improvementId });
  return improvement === undefined ? undefined : { improvement, lease };
}

/** Gives it back, so that the next one need not wait. `problem` says what stopped it. False when it was lost before. */
export function releaseImprovement({ store, lease, problem }: HeldOptions & { problem: string }): Promise<boolean> {
  return isKept(store, [
    releaseStatement(store, lease),
    changeOpen({ store, lease, columns: { problem, progress: null } }),
  ]);
}

export interface EndImprovementOptions {
  store: Store;
  tenantId: string;
  improvementId: string;
  /** Who ends it. */
  holder: string;
  outcome: string;
  reason: string;
}

/** Each failed try means that it went from one holder to another meanwhile. */
const MOST_TRIES = 20;

/**
 * Ends it where it stands, whoever holds it, in one commit: what the holder writes after it is refused. False when it had
 * ended.
 */
export async function endImprovement(options: EndImprovementOptions): Promise<boolean> {
  const { store, tenantId, improvementId, holder, outcome, reason } = options;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await findImprovement({ store, tenantId, ref: improvementId });
    if (known === undefined || known.endedAt !== null) return false;
    const plan = await planAcquisition({
      ...{ store, tenantId, kind: 'improvement', resource: improvementId, holder, seconds: 1 },
      isGone: () => true,
    });
    if ('heldBy' in plan) continue;
    const { lease, statement } = plan;
    const now = await store.now();
    const columns = { outcome, reason, problem: null, progress: null, changed_at: now, ended_at: now };
    const statements = [statement, changeOpen({ store, lease, columns }), releaseStatement(store, lease)];
    if (await isKept(store, statements)) return true;
  }
  throw new StaleWriteError({ statementIndex: 0, expectedRows: 1, actualRows: 0 });
}

/** Says what its stage is doing. A LeaseLostError when it is somebody else's now. */
export function noteImprovementProgress({
  store,
  lease,
  progress,
}: HeldOptions & { progress: string }): Promise<boolean> {
  return isKept(fence({ store, lease }), [changeOpen({ store, lease, columns: { progress } })]);
}

/** Who takes an open one up when nobody brings it on, and why that changed. False when it has ended. */
export function changeImprovementRunner(options: {
  store: Store;
  tenantId: string;
  improvementId: string;
  runner: ImprovementRunner;
  /** Left out, what is known of the last try stays. */
  problem?: string | null;
}): Promise<boolean> {
  const { store, tenantId, improvementId, runner, problem } = options;
  const query = store.db
    .updateTable('improvements')
    .set({ runner, ...(problem === undefined ? {} : { problem }) })
    .where('tenant_id', '=', tenantId)
    .where('improvement_id', '=', improvementId)
    .where('ended_at', 'is', null);
  return isKept(store, [{ query: query.compile(), expectRows: 1 }]);
}

export interface AdvanceImprovementOptions extends HeldOptions {
  /** The stage that is done. */
  from: string;
  content: JsonObject;
  /** The stage that follows, or how it all ended. */
  to: { stage: string } | { outcome: string; reason: string };
}

/**
 * Writes what a stage came to and moves on, in one commit. False, and nothing is written, when it does not stand at this
 * stage; a LeaseLostError when it is somebody else's now.
 */
export async function advanceImprovement(options: AdvanceImprovementOptions): Promise<boolean> {
  const { store, lease, from, content, to } = options;
  const { tenantId, resource: improvementId } = lease;
  const known = await findImprovement({ store, tenantId, ref: improvementId });
  if (known === undefined) return false;
  const now = await store.now();
  const row = {
    ...{ tenant_id: tenantId, improvement_id: improvementId, ordinal: known.stages.length + 1 },
    ...{ stage: from, content: toCanonicalJson(content), at: now },
  };
  const isEnd = !('stage' in to);
  const columns = { ...to, changed_at: now, problem: null, progress: null, ...(isEnd ? { ended_at: now } : {}) };
  return isKept(fence({ store, lease }), [
    changeOpen({ store, lease, columns, from }),
    // Its key is the second guard: a stage is written down once.
    insertRow({ dialect: store.dialect, table: 'improvement_stages', row, expectRows: 1 }),
    ...(isEnd ? [releaseStatement(store, lease)] : []),
  ]);
}

/** One row while the improvement is open, and at this stage if one is named. */
function changeOpen(options: HeldOptions & { columns: Partial<ImprovementsTable>; from?: string }): WriteStatement {
  const { store, lease, columns, from } = options;
  let query = store.db
    .updateTable('improvements')
    .set({ tenant_id: lease.tenantId, ...columns })
    .where('tenant_id', '=', lease.tenantId)
    .where('improvement_id', '=', lease.resource)
    .where('ended_at', 'is', null);
  if (from !== undefined) query = query.where('stage', '=', from);
  return { query: query.compile(), expectRows: 1 };
}

/** False when the rows were not as they must be. */
async function isKept(store: Store, statements: readonly WriteStatement[]): Promise<boolean> {
  try {
    await store.commit({ statements });
    return true;
  } catch (error) {
    if (StaleWriteError.isInstance(error) || StoreConflictError.isInstance(error)) return false;
    throw error;
  }
}
