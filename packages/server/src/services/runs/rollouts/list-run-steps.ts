import type { rolloutSchemas, RolloutStep } from '@lachesis/protocol';
import { findNewestIncarnation, listSteps, type FoundStep, type Store, type TrainingRun } from '@lachesis/store';
import type { z } from 'zod';

type StepList = z.infer<(typeof rolloutSchemas)['list']>;

const DEFAULT_LIMIT = 100;

/** The steps of a run, the newest first; with an item, those that trained on it. */
export async function listRunSteps(options: {
  store: Store;
  run: TrainingRun;
  query: z.infer<(typeof rolloutSchemas)['listQuery']>;
}): Promise<StepList> {
  const { run, query } = options;
  const { limit = DEFAULT_LIMIT } = query;
  const scope = await findStepScope(options);
  const found = scope === undefined ? [] : await listSteps({ ...scope, ...query, limit: limit + 1 });
  const steps = found.slice(0, limit).map(describeStep);
  return { run_id: run.shortId, steps, next: found.length > limit ? (steps.at(-1)?.step ?? null) : null };
}

/** Where the steps of a run are kept; undefined before the loop has begun. */
export async function findStepScope({
  store,
  run: { tenantId, shortId },
}: {
  store: Store;
  run: TrainingRun;
}): Promise<{ store: Store; tenantId: string; runId: string; incarnationId: string } | undefined> {
  // The loop knows a run by its short id.
  const found = await findNewestIncarnation({ store, tenantId, name: shortId });
  return found === undefined ? undefined : { store, tenantId, ...found };
}

export function describeStep({ rollouts, ...step }: FoundStep): RolloutStep {
  return {
    step: step.step,
    state: step.state,
    policy_version: rollouts?.policyVersion ?? null,
    groups: step.groupCount,
    rollouts: rollouts?.rolloutCount ?? null,
    mean_reward: rollouts?.rewardMean ?? null,
    lowest_reward: rollouts?.rewardLow ?? null,
    highest_reward: rollouts?.rewardHigh ?? null,
    trained_tokens: rollouts?.trainedTokens ?? null,
    bytes: rollouts === undefined ? null : rollouts.droppedAt === null ? rollouts.bytes : 0,
    is_kept: rollouts?.droppedAt === null || rollouts === undefined,
    has_trainer_logprobs: typeof rollouts?.logprobsDigest === 'string',
    started_at: step.startedAt,
    ended_at: step.endedAt,
  };
}
