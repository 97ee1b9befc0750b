import type { BlobStore } from '../blobs/blob-store.ts';
import { dropStepRollouts } from '../rollouts/drop-step-rollouts.ts';
import type { AgedRun } from './aged-run.ts';

/** Steps that are looked at together. */
const PAGE = 500;

/**
 * Lets go of the payloads of steps that were recorded before that time: groups, report and log probabilities. That the step
 * was made, and what its rewards came to, stays known. May die anywhere: each step is a commit of its own.
 */
export async function retainPayloads(
  options: AgedRun & { blobs: BlobStore },
): Promise<{ steps: number; bytes: number }> {
  const { store, blobs, tenantId, isDryRun } = options;
  const report = { steps: 0, bytes: 0 };
  for await (const row of listOldSteps(options)) {
    if (!isDryRun) {
      const { incarnation_id: incarnationId, step } = row;
      const { isDropped } = await dropStepRollouts({ store, blobs, tenantId, incarnationId, step });
      if (!isDropped) continue;
    }
    report.steps += 1;
    report.bytes += row.payload_bytes + row.report_bytes + row.logprobs_bytes;
  }
  return report;
}

/** Steps that still have their payloads and were recorded before that time, each once. */
async function* listOldSteps({ store, tenantId, runId, olderThan }: AgedRun) {
  let after = { incarnation: '', step: -1 };
  for (;;) {
    const rows = await store.db
      .selectFrom('step_rollouts')
      .select(['incarnation_id', 'step', 'payload_bytes', 'report_bytes', 'logprobs_bytes'])
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .where('dropped_at', 'is', null)
      .where('recorded_at', '<', olderThan)
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
