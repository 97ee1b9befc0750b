/** Rewards that went from one number to another. */
export interface RewardChange {
  readonly from: number;
  readonly to: number;
  readonly rollouts: number;
}

export interface RewardsReport {
  readonly environment: string;
  readonly verifier_digest: string;
  readonly groups: number;
  readonly rollouts: number;
  /** Have a reward of today. Only these are in the counts and means below. */
  readonly regraded: number;
  readonly changed: number;
  readonly mean_before: number | null;
  readonly mean_after: number | null;
  /** The most frequent first. */
  readonly changes: readonly RewardChange[];
  /** No reward of today, by reason; what they scored before says nothing. */
  readonly failures: readonly { readonly reason: string; readonly rollouts: number }[];
  readonly failed: number;
  /** Lines of which every rollout has a reward of today. */
  readonly whole_groups: number;
  /** Of rollouts whose tools ran again, and those where one answered otherwise. */
  readonly replayed: number;
  readonly other_results: number;
}

export interface RewardsCounter {
  readonly addGroup: (isWhole: boolean) => void;
  readonly addReward: (before: number, after: number, rollouts: number) => void;
  readonly addFailure: (reason: string, rollouts: number) => void;
  readonly addReplay: (hasOtherResults: boolean, rollouts: number) => void;
  readonly report: () => RewardsReport;
}

export function countRewards(names: Pick<RewardsReport, 'environment' | 'verifier_digest'>): RewardsCounter {
  const changes = new Map<string, { from: number; to: number; rollouts: number }>();
  const failures = new Map<string, number>();
  let [groups, wholeGroups, regraded, changed, failed, replayed, otherResults] = [0, 0, 0, 0, 0, 0, 0];
  let [before, after] = [0, 0];
  return {
    addGroup: (isWhole) => {
      groups += 1;
      wholeGroups += isWhole ? 1 : 0;
    },
    addReward: (from, to, rollouts) => {
      regraded += rollouts;
      before += from * rollouts;
      after += to * rollouts;
      if (from === to) return;
      changed += rollouts;
      const change = changes.get(`${from} ${to}`) ?? { from, to, rollouts: 0 };
      change.rollouts += rollouts;
      changes.set(`${from} ${to}`, change);
    },
    addFailure: (reason, rollouts) => {
      failed += rollouts;
      failures.set(reason, (failures.get(reason) ?? 0) + rollouts);
    },
    addReplay: (hasOtherResults, rollouts) => {
      replayed += rollouts;
      otherResults += hasOtherResults ? rollouts : 0;
    },
    report: () => ({
      ...names,
      groups,
      rollouts: regraded + failed,
      regraded,
      changed,
      mean_before: regraded === 0 ? null : before / regraded,
      mean_after: regraded === 0 ? null : after / regraded,
      changes: [...changes.values()].toSorted((a, b) => b.rollouts - a.rollouts),
      failures: [...failures]
        .map(([reason, rollouts]) => ({ reason, rollouts }))
        .toSorted((a, b) => b.rollouts - a.rollouts),
      failed,
      whole_groups: wholeGroups,
      replayed,
      other_results: otherResults,
    }),
  };
}
