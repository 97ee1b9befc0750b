import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { readSettings, writeSettings } from '../settings/settings.ts';
import { dropStepRollouts } from './drop-step-rollouts.ts';

/** Of the setting that says how many days the payloads of a run are kept. */
const NAME = 'keep-payload-days';
const DAY_MS = 86_400_000;
/** Steps that are looked at together. */
const PAGE = 500;

/** A run in the loop. */
export interface RetainedRun {
  store: Store;
  tenantId: string;
  runId: string;
}

/** Says how long payloads of a run are kept after their step; null keeps all, which is what a run does that nobody said this of. */
export async function keepPayloads(options: RetainedRun & { days: number | null }): Promise<void> {
  const { store, tenantId, runId, days } = options;
  await writeSettings({
    store,
    tenantId,
    scope: scopeOf(runId),
    settings: [{ name: NAME, value: days, origin: 'gc' }],
  });
}

/** How many days payloads of a run are kept after their step; null for all of them. */
export async function readKeptDays({ store, tenantId, runId }: RetainedRun): Promise<number | null> {
  const found = (await readSettings({ store, tenantId, scope: scopeOf(runId) })).find(({ name }) => name === NAME);
  return typeof found?.value === 'number' ? found.value : null;
}

const scopeOf = (runId: string): string => `run:${runId}`;

/** What was let go of, or would be. */
export interface RetentionReport {
  runs: number;
  steps: number;
  bytes: number;
}

/**
 * Lets go of the payloads of steps that are older than their run keeps them: groups, report and log probabilities. That the step
 * was made, and what its rewards came to, stays known. May die anywhere: each step is a commit of its own.
 */
export async function retainPayloads(options: {
  store: Store;
  blobs: BlobStore;
  isDryRun?: boolean;
}): Promise<RetentionReport> {
  const { store, blobs, isDryRun = false } = options;
  const report: RetentionReport = { runs: 0, steps: 0, bytes: 0 };
  const now = await store.now();
  const policies = await store.db
    .selectFrom('settings')
    .select(['tenant_id', 'scope', 'value'])
    .where('name', '=', NAME)
    .orderBy('scope')
    .execute();
  for (const { tenant_id: tenantId, scope, value } of policies) {
    const days: unknown = JSON.parse(value);
    if (typeof days !== 'number' || !scope.startsWith('run:')) continue;
    const before = report.steps;
    const runId = scope.slice('run:'.length);
    for await (const row of listOldSteps({ store, tenantId, runId }, now - days * DAY_MS)) {
      if (!isDryRun) {
        const { incarnation_id: incarnationId, step } = row;
        const { isDropped } = await dropStepRollouts({ store, blobs, tenantId, incarnationId, step });
        if (!isDropped) continue;
      }
      report.steps += 1;
      report.bytes += row.payload_bytes + row.report_bytes + row.logprobs_bytes;
    }
    report.runs += report.steps > before ? 1 : 0;
  }
  return report;
}

/** Steps that still have their payloads and were recorded before that time, each once. */
async function* listOldSteps({ store, tenantId, runId }: RetainedRun, recordedBefore: number) {
  let after = { incarnation: '', step: -1 };
  for (;;) {
    const rows = await store.db
      .selectFrom('step_rollouts')
      .select(['incarnation_id', 'step', 'payload_bytes', 'report_bytes', 'logprobs_bytes'])
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .where('dropped_at', 'is', null)
      .where('recorded_at', '<', recordedBefore)
      .where((eb) =>
        eb.or([
          eb('incarnation_id', '>', after.incarnation),
          eb.and([eb('incarnation_id', '=', after.incarnation), eb('step', '>', after.step)]),
        ]),
      )
      .orderBy('incarnation_id')
      .orderBy('step')
      .limit(PAGE)
      .execute();
    yield* rows;
    if (rows.length < PAGE) return;
    const last = rows.at(-1)!;
    after = { incarnation: last.incarnation_id, step: last.step };
  }
}
