import { createIdSource } from '@lachesis/protocol';
import { EnvironmentError, resolveEnvironmentConfig, type Outcome } from '@lachesis/sdk/environment';
import { assembleGroup } from '../../../packages/sdk/src/environment/group/assemble-group.ts';
import { processEnvironment } from '../../../packages/sdk/src/environment/runner/process-environment.ts';
import type { FailurePolicy } from '../../../packages/sdk/src/environment/group/collect-group.ts';
import { createKiller, createSums, type Faults } from './arithmetic.ts';

export interface GroupsRun {
  /** Score minus group mean of each rollout, by item and place, as a trainer gets them. */
  readonly advantages: ReadonlyMap<string, readonly number[]>;
  readonly outcomes: readonly Outcome[];
  readonly metrics: Readonly<Record<string, number>>;
  readonly dropped: number;
}

/** Rolls out groups with one request per rollout, so that each can be killed by itself. */
export async function runGroups(options: {
  groups: number;
  failurePolicy: FailurePolicy;
  faults?: Faults | undefined;
}): Promise<GroupsRun> {
  const { definition, policy } = createSums(createKiller(options.faults), options.faults);
  const flags = {
    env: { group_size: '8', max_n_completions: '1', failure_policy: options.failurePolicy, max_rollout_attempts: '10' },
  };
  const { values } = resolveEnvironmentConfig({ definition, flags });
  const environment = await definition.open({ config: values.env });
  const ids = createIdSource();
  const advantages = new Map<string, readonly number[]>();
  const outcomes: Outcome[] = [];
  const summary = await processEnvironment({
    definition,
    environment,
    policy,
    groups: options.groups,
    nextId: () => ids.next(),
    now: () => performance.now(),
    signal: new AbortController().signal,
    onEvent: (event) => {
      if (event.kind === 'rollout-ended') outcomes.push(event.outcome);
    },
    writeGroup: async ({ rollouts, drawn }, groupId) => {
      const { scores } = assembleGroup({
        rollouts,
        groupId,
        item: drawn.key,
        environment: definition.name,
        environmentDigest: definition.digest,
        verifierDigest: definition.verifierDigest,
        envId: null,
        temperature: 1,
        includeMessages: false,
      });
      if (scores.length !== values.env.group_size) {
        throw new EnvironmentError({ kind: 'bad-definition', reason: `a group of ${scores.length} was written` });
      }
      const mean = [...scores].reduce((sum, score) => sum + score, 0) / scores.length;
      advantages.set(
        drawn.key,
        Array.from(scores, (score) => score - mean),
      );
    },
  });
  return { advantages, outcomes, metrics: summary.metrics, dropped: summary.groupsDropped };
}
