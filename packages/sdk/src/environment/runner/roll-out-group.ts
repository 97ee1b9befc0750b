import type { EnvironmentDefinition, GradedRollout, OpenedEnvironment } from '../definition.ts';
import type { FailureGate } from '../failures/create-failure-gate.ts';
import { measureRollouts } from '../group/assemble-group.ts';
import { collectGroup, type ScoredRollout } from '../group/collect-group.ts';
import type { GroupHealth } from '../group/group-health.ts';
import type { Policy } from '../policy/policy.ts';
import type { Drawn } from '../split.ts';
import type { OnRunEvent } from './run-event.ts';

export interface RollOutGroupOptions {
  readonly definition: EnvironmentDefinition;
  readonly environment: OpenedEnvironment;
  readonly policy: Policy;
  readonly gate: FailureGate;
  readonly nextId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  /** Waits while the run is paused. */
  readonly beforeRetry?: (() => Promise<void>) | undefined;
}

export interface RolledOutGroup {
  readonly drawn: Drawn<'train'>;
  readonly rollouts: readonly ScoredRollout<'train'>[];
  readonly health: GroupHealth;
}

/** One group of one training item; undefined when it was dropped, which was told. */
export async function rollOutGroup(
  options: RollOutGroupOptions,
  drawn: Drawn<'train'>,
): Promise<RolledOutGroup | undefined> {
  const { environment, gate, onEvent } = options;
  const { config } = environment;
  const group = await collectGroup({
    ...options,
    drawn,
    groupSize: config.group_size,
    failurePolicy: config.failure_policy,
    maxAttempts: config.max_rollout_attempts,
    temperature: config.temperature,
    nextRolloutId: options.nextId,
    log: (text) => onEvent({ kind: 'log', text }),
    onRollout: ({ outcome, durationMs }) => {
      gate.record(outcome);
      onEvent({ kind: 'rollout-ended', split: 'train', outcome, durationMs });
    },
  });
  if (group.kind === 'dropped') {
    onEvent({ kind: 'group-dropped', reason: group.reason });
    return undefined;
  }
  return { drawn, rollouts: group.rollouts, health: measureRollouts(group.rollouts) };
}

export const toGraded = ({ drawn, rollouts }: RolledOutGroup): GradedRollout[] =>
  rollouts.flatMap(({ result, outcome }) => (result === undefined ? [] : [{ item: drawn.item, result, outcome }]));

/** The longest sequence of a group, in tokens. */
export const longestSequence = ({ rollouts }: RolledOutGroup): number =>
  rollouts.reduce(
    (most, { sequences }) => sequences.reduce((longest, { tokens }) => Math.max(longest, tokens.length), most),
    0,
  );
