import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { expireTrajectories } from '../trajectories/expire-trajectories.ts';
import { moveTurns } from '../cold/move-turns.ts';
import type { AgedRun } from './aged-run.ts';
import { archiveGroups, retainColdGroups } from './archive-groups.ts';
import { listKeepPolicies, mergePolicies, type KeepPolicy, type WrittenPolicy } from './keep-policies.ts';
import { retainEvents } from './retain-events.ts';
import { retainHistory } from './retain-history.ts';
import { retainKeys } from './retain-keys.ts';
import { retainPayloads } from './retain-payloads.ts';

const DAY_MS = 86_400_000;
const LONGEST_REST_MS = 500;

/** What was let go of, or would be. */
export interface RetentionReport {
  /** Runs of which anything goes. */
  runs: number;
  /** Steps that lose their payloads. */
  steps: number;
  groups: number;
  batches: number;
  keys: number;
  events: number;
  /** Recorded trajectories. */
  records: number;
  /** Recorded trajectories and groups that left the database for files; nothing of them is gone. */
  cold: number;
  coldGroups: number;
  bytes: number;
}

/** Lets go of everything that is older than its run or its tenant keeps it; nothing goes of which nobody said so. */
export async function retain(options: {
  store: Store;
  blobs: BlobStore;
  isDryRun?: boolean;
  /** A part that a test replaces. */
  pause?: (ms: number) => Promise<unknown>;
}): Promise<RetentionReport> {
  const { blobs, isDryRun = false, pause = sleep } = options;
  const store = takeTurns(options.store, pause);
  const report: RetentionReport = {
    runs: 0,
    steps: 0,
    groups: 0,
    batches: 0,
    keys: 0,
    events: 0,
    records: 0,
    cold: 0,
    coldGroups: 0,
    bytes: 0,
  };
  const policies = await listKeepPolicies(store);
  if (policies.length === 0) return report;
  const now = await store.now();
  for (const [tenantId, of] of Map.groupBy(policies, (policy) => policy.tenantId)) {
    const ofAll = of.find(({ runId }) => runId === undefined)?.policy ?? {};
    const runs = await listAffectedRuns(store, tenantId, of);
    for (const { runId, name, policy } of runs) {
      const kept = mergePolicies(policy, ofAll);
      const before = countRows(report);
      const aged = (days: number): AgedRun => ({ store, tenantId, runId, isDryRun, olderThan: now - days * DAY_MS });
      if (kept.payloads !== null) add(report, await retainPayloads({ ...aged(kept.payloads), blobs }));
      if (kept.history !== null) {
        const { olderThan: payloadsOlderThan } = aged(kept.payloads ?? kept.history);
        add(report, await retainHistory({ ...aged(kept.history), payloadsOlderThan, blobs }));
        add(report, await retainColdGroups({ ...aged(kept.history), blobs }));
      }
      if (kept.hot !== null) {
        const payloadsOlderThan = kept.payloads === null ? 0 : aged(kept.payloads).olderThan;
        const goneBefore = kept.history === null ? 0 : aged(kept.history).olderThan;
        add(report, await archiveGroups({ ...aged(kept.hot), payloadsOlderThan, goneBefore, blobs }));
      }
      if (kept.keys !== null) add(report, await retainKeys(aged(kept.keys)));
      if (kept.events !== null) add(report, await retainEvents(aged(kept.events)));
      if (typeof policy.records === 'number') {
        const { trajectories } = await expireTrajectories({ ...aged(policy.records), blobs, runName: name });
        report.records += trajectories;
      }
      if (typeof policy.hot === 'number') {
        const goneBefore = typeof policy.records === 'number' ? aged(policy.records).olderThan : 0;
        report.cold += (await moveTurns({ ...aged(policy.hot), goneBefore, blobs, runName: name })).cold;
      }
      report.runs += countRows(report) > before ? 1 : 0;
    }
    if (typeof ofAll.records === 'number') {
      const olderThan = now - ofAll.records * DAY_MS;
      const exceptRuns = runs.filter(({ policy }) => policy.records !== undefined).map(({ name }) => name);
      const { trajectories } = await expireTrajectories({ store, blobs, tenantId, exceptRuns, olderThan, isDryRun });
      report.records += trajectories;
    }
    if (typeof ofAll.hot === 'number') {
      const olderThan = now - ofAll.hot * DAY_MS;
      const exceptRuns = runs.filter(({ policy }) => policy.hot !== undefined).map(({ name }) => name);
      const goneBefore = typeof ofAll.records === 'number' ? now - ofAll.records * DAY_MS : 0;
      const moved = await moveTurns({ store, blobs, tenantId, exceptRuns, olderThan, goneBefore, isDryRun });
      report.cold += moved.cold;
    }
  }
  return report;
}

/**
 * A store that rests after each commit for as long as it worked: whoever pushes meanwhile has the machine for half of the time at
 * least, and nobody waits for what is let go of.
 */
function takeTurns(store: Store, pause: (ms: number) => Promise<unknown>): Store {
  let begunAt = performance.now();
  return {
    ...{ db: store.db, dialect: store.dialect, now: () => store.now(), close: () => store.close() },
    async commit(unit, options) {
      const receipt = await store.commit(unit, options);
      await pause(Math.min(performance.now() - begunAt, LONGEST_REST_MS));
      begunAt = performance.now();
      return receipt;
    },
  };
}

/** With a policy of all runs each run of the tenant, and else those that have one of their own. */
async function listAffectedRuns(
  store: Store,
  tenantId: string,
  policies: readonly WrittenPolicy[],
): Promise<{ runId: string; name: string; policy: KeepPolicy }[]> {
  const own = new Map(policies.map(({ runId, policy }) => [runId, policy]));
  const [queues, trainings] = await Promise.all([
    store.db.selectFrom('runs').select(['run_id', 'name']).where('tenant_id', '=', tenantId).execute(),
    store.db
      .selectFrom('training_runs')
      .select(['run_id', 'short_id as name'])
      .where('tenant_id', '=', tenantId)
      .execute(),
  ]);
  return [...queues, ...trainings]
    .map((row) => ({ runId: row.run_id, name: row.name, policy: own.get(row.run_id) ?? {} }))
    .filter(({ runId }) => own.has(undefined) || own.has(runId));
}

function add(report: RetentionReport, gone: Partial<RetentionReport>): void {
  for (const [name, count] of Object.entries(gone) as [keyof RetentionReport, number][]) report[name] += count;
}

const countRows = ({ steps, groups, batches, keys, events, records, cold, coldGroups }: RetentionReport): number =>
  steps + groups + batches + keys + events + records + cold + coldGroups;
