import type { Outcome } from '../outcome.ts';
import type { Rollout } from '../rollout/rollout.ts';
import { regradeRollout, runRollouts, type RunRolloutsOptions } from '../rollout/run-rollouts.ts';
import type { Drawn, Split } from '../split.ts';

export type FailurePolicy = 'complete' | 'retry' | 'drop';

/** A rollout of which it is known that it has a number. */
export type ScoredRollout<S extends Split = Split> = Rollout<S> & { readonly outcome: Outcome & { kind: 'scored' } };

/** All rollouts of a group are scored, or there is no group. */
export type CollectedGroup<S extends Split> = {
  readonly drawn: Drawn<S>;
  /** Every attempt that ended, failed ones too, for counting. */
  readonly attempts: readonly Rollout<S>[];
} & (
  | { readonly kind: 'complete'; readonly rollouts: readonly ScoredRollout<S>[] }
  | { readonly kind: 'dropped'; readonly reason: string }
);

export interface CollectGroupOptions<S extends Split> extends Omit<RunRolloutsOptions<S>, 'indices' | 'salt'> {
  readonly groupSize: number;
  readonly failurePolicy: FailurePolicy;
  /** Of a place (`complete`) or of the whole group (`retry`). */
  readonly maxAttempts: number;
  /** Told of each attempt as it ends. */
  readonly onRollout?: ((rollout: Rollout<S>) => void) | undefined;
  /** Before another attempt; a run that pauses waits here. */
  readonly beforeRetry?: (() => Promise<void>) | undefined;
}

/**
 * Rolls out an item until every place of the group has a number, or gives the group up. A failed place is tried again with the
 * seed it had, so a group that was completed is the one there would have been without the failure.
 */
export async function collectGroup<S extends Split>(options: CollectGroupOptions<S>): Promise<CollectedGroup<S>> {
  const { groupSize, failurePolicy, maxAttempts, drawn } = options;
  const attempts: Rollout<S>[] = [];
  const places = Array.from({ length: groupSize }, (_, index) => index);
  const scoredAt = new Map<number, ScoredRollout<S>>();
  let missing: readonly number[] = places;
  /** The last attempt at each place, as long as it matters for the next. */
  let before: Rollout<S>[] = [];
  let salt = 0;

  for (let attempt = 1; ; attempt += 1) {
    const ended = await tryPlaces(options, { places: missing, before, salt, attempt });
    for (const rollout of ended) {
      attempts.push(rollout);
      options.onRollout?.(rollout);
      if (isScored(rollout)) scoredAt.set(rollout.index, rollout);
    }
    before = ended;
    missing = places.filter((index) => !scoredAt.has(index));
    if (missing.length === 0) {
      return { kind: 'complete', drawn, attempts, rollouts: places.map((index) => scoredAt.get(index)!) };
    }
    if (failurePolicy === 'drop' || attempt >= maxAttempts) {
      return { kind: 'dropped', drawn, attempts, reason: describeLoss(attempts, missing, groupSize) };
    }
    if (failurePolicy === 'retry') {
      scoredAt.clear();
      missing = places;
      salt += 1 + maxAttempts;
      before = [];
    }
    await options.beforeRetry?.();
  }
}

export const isScored = <S extends Split>(rollout: Rollout<S>): rollout is ScoredRollout<S> =>
  rollout.outcome.kind === 'scored';

/** What failed around a rollout is done again with its seed; what only the verifier failed at is graded again. */
async function tryPlaces<S extends Split>(
  options: CollectGroupOptions<S>,
  tried: { places: readonly number[]; before: readonly Rollout<S>[]; salt: number; attempt: number },
): Promise<Rollout<S>[]> {
  const { places, before, salt, attempt } = tried;
  const last = new Map(before.map((rollout) => [rollout.index, rollout]));
  const isUngraded = (index: number): boolean => {
    // What it was graded by is gone with the rollout.
    if (options.environment.rollOut !== undefined) return false;
    const rollout = last.get(index);
    return rollout?.result !== undefined && rollout.outcome.kind === 'failed' && rollout.outcome.failure === 'verifier';
  };
  const isAbstained = (index: number): boolean => last.get(index)?.outcome.kind === 'abstained';
  const rollOut = async (indices: readonly number[], withSalt: number): Promise<Rollout<S>[]> =>
    indices.length === 0 ? [] : runRollouts({ ...options, indices, salt: withSalt });
  const parts = await Promise.all([
    rollOut(
      places.filter((index) => !isUngraded(index) && !isAbstained(index)),
      salt,
    ),
    // With the same seed the same answer would meet the same judge.
    rollOut(places.filter(isAbstained), salt + attempt),
    ...places.filter(isUngraded).map(async (index) => [await regradeRollout({ ...options, salt }, last.get(index)!)]),
  ]);
  return parts.flat();
}

function describeLoss(attempts: readonly Rollout[], missing: readonly number[], groupSize: number): string {
  const last = attempts.findLast(({ index, outcome }) => missing.includes(index) && outcome.kind !== 'scored');
  const why = last === undefined || last.outcome.kind === 'scored' ? 'no reason known' : last.outcome.reason;
  return `${missing.length} of ${groupSize} rollouts have no score: ${why}`;
}
