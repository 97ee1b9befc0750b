import type { Store } from '../database/store.ts';
import type { StepState } from '../schema/training.ts';
import { listBatchGroupIds, matchItem, type StepRolloutsScope } from './step-rollouts.ts';

/** A step of a run, and what is known of its rollouts; steps of before rollouts were reported have nothing but themselves. */
export interface FoundStep {
  step: number;
  state: StepState;
  batchId: string | null;
  groupCount: number;
  startedAt: number;
  endedAt: number | null;
  rollouts:
    | {
        policyVersion: number;
        rolloutCount: number;
        trainedTokens: number;
        rewardMean: number | null;
        rewardLow: number | null;
        rewardHigh: number | null;
        bytes: number;
        reportDigest: string | null;
        logprobsDigest: string | null;
        droppedAt: number | null;
      }
    | undefined;
}

/** The open incarnation of the run of a name, or its last one. */
export async function findNewestIncarnation(options: {
  store: Store;
  tenantId: string;
  name: string;
}): Promise<{ runId: string; incarnationId: string } | undefined> {
  const row = await options.store.db
    .selectFrom('runs')
    .innerJoin('run_incarnations', (join) =>
      join
        .onRef('run_incarnations.tenant_id', '=', 'runs.tenant_id')
        .onRef('run_incarnations.run_id', '=', 'runs.run_id'),
    )
    .select(['runs.run_id', 'run_incarnations.incarnation_id'])
    .where('runs.tenant_id', '=', options.tenantId)
    .where('runs.name', '=', options.name)
    .orderBy('run_incarnations.ordinal', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { runId: row.run_id, incarnationId: row.incarnation_id };
}

const selectSteps = ({ store, tenantId, incarnationId }: StepRolloutsScope) =>
  store.db
    .selectFrom('steps')
    .leftJoin('step_rollouts', (join) =>
      join
        .onRef('step_rollouts.tenant_id', '=', 'steps.tenant_id')
        .onRef('step_rollouts.incarnation_id', '=', 'steps.incarnation_id')
        .onRef('step_rollouts.step', '=', 'steps.step')
        // A step that was made again and not reported yet has nothing to do with what it was before.
        .onRef('step_rollouts.batch_id', '=', 'steps.batch_id'),
    )
    .select([
      'steps.step',
      'steps.state',
      'steps.batch_id',
      'steps.group_count',
      'steps.started_at',
      'steps.ended_at',
      'step_rollouts.policy_version',
      'step_rollouts.rollout_count',
      'step_rollouts.trained_tokens',
      'step_rollouts.reward_mean',
      'step_rollouts.reward_low',
      'step_rollouts.reward_high',
      'step_rollouts.payload_bytes',
      'step_rollouts.report_bytes',
      'step_rollouts.logprobs_bytes',
      'step_rollouts.report_digest',
      'step_rollouts.logprobs_digest',
      'step_rollouts.recorded_at',
      'step_rollouts.dropped_at',
    ])
    .where('steps.tenant_id', '=', tenantId)
    .where('steps.incarnation_id', '=', incarnationId)
    // Below are batches that held nothing to learn from and are no steps.
    .where('steps.step', '>', 0)
    .where((is) => is.or([is('steps.state', 'is', null), is('steps.state', '!=', 'returned')]));

type FoundRow = Awaited<ReturnType<ReturnType<typeof selectSteps>['execute']>>[number];

/** Steps, the newest first. */
export async function listSteps(
  options: StepRolloutsScope & { before?: number | undefined; item?: string | undefined; limit: number },
): Promise<FoundStep[]> {
  const { before, item, limit } = options;
  let query = selectSteps(options);
  if (before !== undefined) query = query.where('steps.step', '<', before);
  if (item !== undefined) query = query.where(matchItem(item));
  return (await query.orderBy('steps.step', 'desc').limit(limit).execute()).map(toStep);
}

/** One step by its number. */
export async function findStep(options: StepRolloutsScope & { step: number }): Promise<FoundStep | undefined> {
  const row = await selectSteps(options).where('steps.step', '=', options.step).executeTakeFirst();
  return row === undefined ? undefined : toStep(row);
}

/** A group as it was accepted. */
export interface FoundGroup {
  groupId: string;
  incarnationId: string;
  environmentId: string | null;
  payloadDigest: string;
  payloadBytes: number;
  sequenceCount: number;
  tokenCount: number;
  receivedAt: number;
}

/** Groups of a batch in its order; `start` and `limit` count groups. */
export async function listBatchGroups(
  options: StepRolloutsScope & { batchId: string; start: number; limit: number },
): Promise<FoundGroup[]> {
  const ids = (await listBatchGroupIds(options)).slice(options.start, options.start + options.limit);
  if (ids.length === 0) return [];
  const rows = await selectGroups(options).where('group_id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.group_id, toGroup(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** One group of a run, with the step that it was trained in and its place there, where there is one. */
export async function findGroup(options: {
  store: Store;
  tenantId: string;
  runId: string;
  groupId: string;
}): Promise<{ group: FoundGroup; trained: { step: FoundStep; index: number } | undefined } | undefined> {
  const { store, tenantId, runId, groupId } = options;
  const row = await selectGroups(options)
    .where('run_id', '=', runId)
    .where('group_id', '=', groupId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const group = toGroup(row);
  const fate = await store.db
    .selectFrom('group_fates')
    .select('batch_id')
    .where('tenant_id', '=', tenantId)
    .where('group_id', '=', groupId)
    .executeTakeFirst();
  const batchId = fate?.batch_id ?? undefined;
  if (batchId === undefined) return { group, trained: undefined };
  const scope = { store, tenantId, incarnationId: group.incarnationId };
  const [made, ids] = await Promise.all([
    selectSteps(scope).where('steps.batch_id', '=', batchId).orderBy('steps.step', 'desc').executeTakeFirst(),
    listBatchGroupIds({ ...scope, batchId }),
  ]);
  if (made === undefined) return { group, trained: undefined };
  return { group, trained: { step: toStep(made), index: ids.indexOf(groupId) } };
}

const selectGroups = ({ store, tenantId }: { store: Store; tenantId: string }) =>
  store.db
    .selectFrom('groups')
    .select([
      'group_id',
      'incarnation_id',
      'environment_id',
      'payload_digest',
      'payload_bytes',
      'sequence_count',
      'token_count',
      'received_at',
    ])
    .where('tenant_id', '=', tenantId);

type GroupRow = Awaited<ReturnType<ReturnType<typeof selectGroups>['execute']>>[number];

const toGroup = (row: GroupRow): FoundGroup => ({
  groupId: row.group_id,
  incarnationId: row.incarnation_id,
  environmentId: row.environment_id,
  payloadDigest: row.payload_digest,
  payloadBytes: row.payload_bytes,
  sequenceCount: row.sequence_count,
  tokenCount: row.token_count,
  receivedAt: row.received_at,
});

function toStep(row: FoundRow): FoundStep {
  return {
    step: row.step,
    state: row.state ?? 'done',
    batchId: row.batch_id,
    groupCount: row.group_count ?? 0,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    rollouts:
      row.recorded_at === null
        ? undefined
        : {
            policyVersion: row.policy_version ?? 0,
            rolloutCount: row.rollout_count ?? 0,
            trainedTokens: row.trained_tokens ?? 0,
            rewardMean: row.reward_mean,
            rewardLow: row.reward_low,
            rewardHigh: row.reward_high,
            bytes: (row.payload_bytes ?? 0) + (row.report_bytes ?? 0) + (row.logprobs_bytes ?? 0),
            reportDigest: row.report_digest,
            logprobsDigest: row.logprobs_digest,
            droppedAt: row.dropped_at,
          },
  };
}
