import { createIdSource } from '@lachesis/protocol';
import { encodeGroup } from '@lachesis/protocol/codec';
import {
  createQueueChanges,
  createQueueStateRecord,
  createTrainingRun,
  openHome,
  planQueueWrite,
} from '@lachesis/store';
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createGroups, TOY } from './workload.ts';

export const STEPS = 1_000;
export const GROUPS = 128;
const GROUP_SIZE = 8;

/** Steps of one transaction, and rows of one statement. */
const STEPS_TOGETHER = 50;
const ROWS_TOGETHER = 500;

/** A run of a thousand steps of 128 groups, as trajectory API and trainer would have left it. */
export async function fillStore(options: { home: string; run: string }): Promise<void> {
  await using home = await openHome({ home: options.home });
  const { store, blobs } = home;
  const ids = createIdSource();
  const scope = { tenant_id: 'local', incarnation_id: ids.next(), run_id: ids.next() };
  const { tenant_id: tenantId, run_id: runId, incarnation_id: incarnationId } = scope;
  const queue = { tenantId, runId, runName: options.run, incarnationId, ordinal: 0, version: 0 };
  const opening = planQueueWrite(store.db, { ...queue, record: createQueueStateRecord() }, createQueueChanges(), 1);
  await store.commit(opening);
  const [group] = createGroups({ ...TOY, groupSize: GROUP_SIZE }, { hasMessages: true })(1);
  const payload = encodeGroup(group!);
  const digest = hash('sha256', payload);
  await blobs.put(digest, payload);
  for (let start = 1; start <= STEPS; start += STEPS_TOGETHER) {
    const steps = Array.from({ length: STEPS_TOGETHER }, (_, index) => start + index);
    const made = await Promise.all(
      steps.map(async (step) => {
        const report = gzipSync(JSON.stringify({ base_model: 'bench', groups: makeOutlines(step) }), { level: 4 });
        const reportDigest = hash('sha256', report);
        await blobs.put(reportDigest, report);
        const groupIds = Array.from({ length: GROUPS }, () => ids.next());
        return { step, batchId: ids.next(), groupIds, report: { digest: reportDigest, bytes: report.length } };
      }),
    );
    await store.db.transaction().execute(async (transaction) => {
      for (const { step, batchId, groupIds, report } of made) {
        const place = { ...scope, step, batch_id: batchId };
        const groups = groupIds.map((groupId, index) => ({
          ...{ ...scope, group_id: groupId, position: step * GROUPS + index, door: 'native', outcome: 'scored' },
          ...{ sequence_count: GROUP_SIZE, token_count: 192, longest_sequence: 24, payload_digest: digest },
          ...{ payload_bytes: payload.length, split: 'train', consent: 'unspecified', step_at_arrival: step },
          ...{ environment_id: null, env_ordinal: null, rollout_id: null, body_digest: null, idempotency_key: null },
          ...{ reason: null, environment_digest: null, verifier_digest: null, received_at: 1 },
          ...{ policy_version_min: step, policy_version_max: step },
        }));
        const fates = groupIds.map((groupId) => ({
          ...{ tenant_id: tenantId, incarnation_id: incarnationId, group_id: groupId, fate: 'trained' as const },
          ...{ reason: null, batch_id: batchId, at: 1 },
        }));
        for (let row = 0; row < GROUPS; row += ROWS_TOGETHER) {
          await transaction
            .insertInto('groups')
            .values(groups.slice(row, row + ROWS_TOGETHER))
            .execute();
          await transaction
            .insertInto('group_fates')
            .values(fates.slice(row, row + ROWS_TOGETHER))
            .execute();
        }
        await transaction
          .insertInto('batches')
          .values({
            ...{ tenant_id: tenantId, incarnation_id: incarnationId, batch_id: batchId, ordinal: step, step },
            ...{ fate: 'trained', epoch: 1, attempts: 1, policy_version: step, group_ids: JSON.stringify(groupIds) },
            ...{ formed_at: 0, ended_at: 0 },
          })
          .execute();
        await transaction
          .insertInto('steps')
          .values({
            ...{ ...place, step_id: ids.next(), state: 'done', group_count: GROUPS, started_at: 0, ended_at: 1 },
            ...{ epoch: 1, policy_version: step, model_id: null, first_sequence: null, weights_path: null },
            ...{ state_path: null, reason: null },
          })
          .execute();
        await transaction
          .insertInto('step_rollouts')
          .values({
            ...{ ...place, policy_version: step - 1, group_count: GROUPS, rollout_count: GROUPS * GROUP_SIZE },
            ...{ trained_tokens: 8 * GROUPS * GROUP_SIZE, reward_mean: 0.5, reward_low: 0, reward_high: 1 },
            items: JSON.stringify(Array.from({ length: GROUPS }, (_, index) => `train-${index}`)),
            ...{ report_digest: report.digest, report_bytes: report.bytes, logprobs_digest: null, logprobs_bytes: 0 },
            ...{ payload_bytes: payload.length * GROUPS, recorded_at: 1, dropped_at: null },
          })
          .execute();
      }
    });
  }
  const place = { logPath: '', port: null };
  const { runId: id } = await createTrainingRun({
    ...{ store, tenantId, environment: 'bench', config: {}, ids, details: () => ({}) },
    processes: () => ({ api: place, trainer: place, env: place }),
    nextShortId: () => options.run,
  });
  // It has ended, so that the server that is asked does not start it.
  await store.db
    .updateTable('training_runs')
    .set({ state: 'completed', ended_at: 1 })
    .where('run_id', '=', id)
    .execute();
}

function makeOutlines(step: number): object[] {
  const each = <T>(make: (sequence: number) => T): T[] => Array.from({ length: GROUP_SIZE }, (_, index) => make(index));
  return Array.from({ length: GROUPS }, (_, group) => ({
    ...{ item: `train-${group}`, environment: 'bench', rollouts: each((sequence) => sequence) },
    scores: each((sequence) => ((sequence * 31 + group + step) % 97) / 97),
    advantages: each((sequence) => Math.sin(sequence + group * step)),
    ...{ lengths: each(() => 24), trained_tokens: each(() => 8) },
    ...{ oldest_policy: each(() => step - 1), newest_policy: each(() => step), left_out: each(() => null) },
    drift: each((sequence) => Math.abs(Math.cos(sequence + group * step)) / 100),
  }));
}
