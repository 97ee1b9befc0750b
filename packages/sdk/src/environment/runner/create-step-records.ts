import type { GradedRollout, OpenedEnvironment } from '../definition.ts';
import type { GroupHealth } from '../group/group-health.ts';
import type { Outcome } from '../outcome.ts';
import { mean } from '@lachesis/protocol';
import type { TrainingTotals } from './create-training-window.ts';
import { toGraded, type RolledOutGroup } from './roll-out-group.ts';
import { measureHealth, measureOutcomes, measureOwn } from './rollout-metrics.ts';
import type { RunEvent } from './run-event.ts';

/** What became of one item: every rollout that ended for it, and the group if there is one. */
export interface ItemRecord {
  readonly outcomes: readonly Outcome[];
  /** How long it was rolled out and graded. */
  readonly seconds: number;
}

/** The rollouts that were made for a group's place and are not in it. */
export interface SetAside {
  readonly groups: number;
  readonly rollouts: number;
  readonly reward_sum: number;
}

/** Numbers of one step. */
export interface StepRow {
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Counts what training rollouts gave, by the step in which their groups are trained. What went into no group counts for the
 * next one that is sent. Evaluation never gets here: its events are passed over.
 */
export interface StepRecords {
  watch(event: RunEvent): void;
  /** An item that gave no group to send. */
  addDropped(record: ItemRecord): void;
  /**
   * A group that is about to be sent during a step: before it is, so that nobody trains it unknown. Gives what was set aside
   * for its place.
   */
  addGroup(groupId: string, record: ItemRecord & { group: RolledOutGroup; step: number }): SetAside | undefined;
  /** The trajectory API has it since a moment in milliseconds. */
  sent(groupId: string, at: number): void;
  /** It was not taken: it is a dropped one. */
  notSent(groupId: string): void;
  /** Groups whose step is not known, the oldest first. */
  waiting(): string[];
  /** A group is trained in a step; `takenAt` is when its batch was taken. */
  settle(groupId: string, step: number, takenAt: number): void;
  /** Groups that were sent before a step and that nobody has said anything about count for another. */
  settleBefore(step: number, countedFor: number): void;
  /** Everything that waits counts for a step: nobody can say more. */
  settleAll(step: number): void;
  /** The steps that are settled since the last call, in order. */
  take(): StepRow[];
  readonly totals: TrainingTotals;
}

interface Counted {
  outcomes: Outcome[];
  dropped: number;
  healths: GroupHealth[];
  graded: GradedRollout[];
  rolloutSeconds: number[];
  queueSeconds: number[];
}

const nothing = (): Counted => ({
  ...{ outcomes: [], dropped: 0, healths: [], graded: [], rolloutSeconds: [], queueSeconds: [] },
});

export function createStepRecords(environment: OpenedEnvironment): StepRecords {
  const totals = { groups: 0, groupsDropped: 0, rollouts: 0, failures: 0, abstentions: 0 };
  const waiting = new Map<string, { counted: Counted; sentAt: number | undefined; step: number }>();
  const steps = new Map<number, Counted>();
  let loose = nothing();

  const count = (step: number, counted: Counted): void => {
    const own = steps.get(step);
    steps.set(step, own === undefined ? counted : join(own, counted));
  };
  const settle = (groupId: string, step: number, takenAt?: number): void => {
    const found = waiting.get(groupId);
    if (found === undefined) return;
    waiting.delete(groupId);
    const { sentAt } = found;
    // A batch may be taken before the answer to its last group is here: that one did not wait.
    if (takenAt !== undefined) {
      found.counted.queueSeconds.push(Math.max(0, (takenAt - (sentAt ?? takenAt)) / 1000));
    }
    count(step, found.counted);
  };

  return {
    watch(event) {
      if (event.kind === 'group-dropped') totals.groupsDropped += 1;
      if (event.kind === 'group-sent') totals.groups += 1;
      if (event.kind !== 'rollout-ended' || event.split !== 'train') return;
      totals.rollouts += 1;
      if (event.outcome.kind === 'failed') totals.failures += 1;
      if (event.outcome.kind === 'abstained') totals.abstentions += 1;
    },
    addDropped({ outcomes, seconds }) {
      loose = join(loose, { ...nothing(), outcomes: [...outcomes], dropped: 1, rolloutSeconds: [seconds] });
    },
    addGroup(groupId, { outcomes, seconds, group, step }) {
      const own: Counted = {
        ...nothing(),
        outcomes: [...outcomes],
        healths: [group.health],
        graded: environment.metrics === undefined ? [] : toGraded(group),
        rolloutSeconds: [seconds],
      };
      const aside = toSetAside(loose);
      waiting.set(groupId, { counted: join(loose, own), sentAt: undefined, step });
      loose = nothing();
      return aside;
    },
    sent(groupId, at) {
      const found = waiting.get(groupId);
      if (found !== undefined) found.sentAt = at;
    },
    notSent(groupId) {
      const found = waiting.get(groupId);
      if (found === undefined) return;
      waiting.delete(groupId);
      const { counted } = found;
      loose = join(loose, { ...counted, healths: [], graded: [], dropped: counted.dropped + 1 });
    },
    waiting: () => [...waiting.keys()],
    settle,
    settleBefore(step, countedFor) {
      for (const [groupId, { step: sentIn }] of waiting) if (sentIn < step) settle(groupId, countedFor);
    },
    settleAll(step) {
      for (const groupId of waiting.keys()) settle(groupId, step);
      if (loose.outcomes.length > 0) count(step, loose);
      loose = nothing();
    },
    take() {
      const rows = [...steps].toSorted(([left], [right]) => left - right);
      steps.clear();
      return rows.map(([step, counted]) => ({ step, metrics: measure(environment, counted) }));
    },
    get totals() {
      return { ...totals };
    },
  };
}

function toSetAside({ outcomes, dropped }: Counted): SetAside | undefined {
  const scored = outcomes.filter((outcome) => outcome.kind === 'scored');
  if (dropped === 0 || scored.length === 0) return undefined;
  const sum = scored.reduce((total, { reward }) => total + reward, 0);
  return { groups: dropped, rollouts: scored.length, reward_sum: sum };
}

const join = (left: Counted, right: Counted): Counted => ({
  outcomes: [...left.outcomes, ...right.outcomes],
  dropped: left.dropped + right.dropped,
  healths: [...left.healths, ...right.healths],
  graded: [...left.graded, ...right.graded],
  rolloutSeconds: [...left.rolloutSeconds, ...right.rolloutSeconds],
  queueSeconds: [...left.queueSeconds, ...right.queueSeconds],
});

function measure(environment: OpenedEnvironment, counted: Counted): Record<string, number> {
  const { outcomes, healths, dropped, graded, rolloutSeconds, queueSeconds } = counted;
  return {
    ...measureOutcomes('train', outcomes),
    ...measureHealth(healths, dropped),
    ...measureOwn(environment, 'train', graded),
    ...(rolloutSeconds.length === 0 ? {} : { 'time/rollout_seconds': mean(rolloutSeconds) }),
    ...(queueSeconds.length === 0 ? {} : { 'time/queue_seconds': mean(queueSeconds) }),
  };
}
