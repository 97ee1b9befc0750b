import { createIdSource, type IdSource } from '@lachesis/protocol';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';

export interface PolicyScope {
  store: Store;
  tenantId: string;
  runId: string;
}

/** Weights that were published to inference. */
export interface PolicyRecord {
  /** 0 is the base model. */
  version: number;
  step: number | null;
  weightsPath: string | null;
  publishedAt: number;
}

/**
 * Notes that a policy was published, with its step and where its weights are. The same version noted twice, as after a
 * crash, is kept as it was first noted.
 */
export async function recordPolicy(
  options: PolicyScope & { policy: Omit<PolicyRecord, 'publishedAt'>; ids?: IdSource },
): Promise<void> {
  const { store, tenantId, runId, policy, ids = createIdSource() } = options;
  const query = store.db
    .insertInto('policy_versions')
    .values({
      tenant_id: tenantId,
      policy_version_id: ids.next(),
      run_id: runId,
      version: policy.version,
      step: policy.step,
      weights_path: policy.weightsPath,
      weights_digest: null,
      published_at: databaseClock(store.dialect),
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'run_id', 'version']).doNothing())
    .compile();
  await store.commit({ statements: [{ query }] });
}

/** The last publications, the oldest first. */
export async function listRecentPolicies(options: PolicyScope & { limit: number }): Promise<PolicyRecord[]> {
  const { store, tenantId, runId, limit } = options;
  const rows = await store.db
    .selectFrom('policy_versions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
  return rows.toReversed().map(({ version, step, weights_path: weightsPath, published_at: publishedAt }) => ({
    version,
    step,
    weightsPath,
    publishedAt,
  }));
}

/** The policy of a run that was published last. */
export async function readLatestPolicy(scope: PolicyScope): Promise<PolicyRecord | undefined> {
  return (await listRecentPolicies({ ...scope, limit: 1 }))[0];
}
