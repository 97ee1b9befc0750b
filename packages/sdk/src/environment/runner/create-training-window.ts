import type { GradedRollout, OpenedEnvironment } from '../definition.ts';
import type { GroupHealth } from '../group/group-health.ts';
import type { Outcome } from '../outcome.ts';
import { toGraded, type RolledOutGroup } from './roll-out-group.ts';
import { measureHealth, measureOutcomes, measureOwn } from './rollout-metrics.ts';
import type { RunEvent } from './run-event.ts';

export interface TrainingTotals {
  readonly groups: number;
  readonly groupsDropped: number;
  readonly rollouts: number;
  readonly failures: number;
  readonly abstentions: number;
}

/** Counts what training rollouts gave since the last step, and since the start. Evaluation never gets here: its events are passed over. */
export interface TrainingWindow {
  watch(event: RunEvent): void;
  /** A group that was sent or written. */
  add(group: RolledOutGroup): void;
  /** The metrics since the last call. */
  take(): Record<string, number>;
  readonly isEmpty: boolean;
  readonly totals: TrainingTotals;
}

export function createTrainingWindow(environment: OpenedEnvironment): TrainingWindow {
  const totals = { groups: 0, groupsDropped: 0, rollouts: 0, failures: 0, abstentions: 0 };
  let outcomes: Outcome[] = [];
  let healths: GroupHealth[] = [];
  let graded: GradedRollout[] = [];
  let dropped = 0;
  return {
    watch(event) {
      if (event.kind === 'group-dropped') {
        dropped += 1;
        totals.groupsDropped += 1;
      }
      if (event.kind !== 'rollout-ended' || event.split !== 'train') return;
      outcomes.push(event.outcome);
      totals.rollouts += 1;
      if (event.outcome.kind === 'failed') totals.failures += 1;
      if (event.outcome.kind === 'abstained') totals.abstentions += 1;
    },
    add(group) {
      totals.groups += 1;
      healths.push(group.health);
      if (environment.metrics !== undefined) graded.push(...toGraded(group));
    },
    take() {
      const metrics = {
        ...measureOutcomes('train', outcomes),
        ...measureHealth(healths, dropped),
        ...measureOwn(environment, 'train', graded),
      };
      [outcomes, healths, graded, dropped] = [[], [], [], 0];
      return metrics;
    },
    get isEmpty() {
      return outcomes.length === 0;
    },
    get totals() {
      return { ...totals };
    },
  };
}
