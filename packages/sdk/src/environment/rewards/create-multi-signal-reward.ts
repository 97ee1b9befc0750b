import { EnvironmentError } from '../environment-error.ts';
import { type Outcome, type Scored, scored } from '../outcome.ts';
import type { Reward } from './reward.ts';

/** What a part counts for when nobody says otherwise. */
export const DEFAULT_SIGNAL_WEIGHTS: Readonly<Record<string, number>> = {
  correctness: 0.6,
  tools: 0.2,
  efficiency: 0.2,
};

export interface MultiSignalRewardOptions {
  /** The parts by name. Each must give a number from 0 to 1. */
  readonly signals: Readonly<Record<string, Reward>>;
  /** What each part counts for. Default: correctness 0.6, tools 0.2, efficiency 0.2. */
  readonly weights?: Readonly<Record<string, number>>;
}

/**
 * The weighted sum of several rewards, clamped to [0, 1]. A part that fails or abstains makes the whole fail or abstain: leaving
 * it out would score some rollouts of a group by another rule than the others.
 */
export function createMultiSignalReward({ signals, weights }: MultiSignalRewardOptions): Reward {
  const names = Object.keys(signals);
  const table = weights ?? DEFAULT_SIGNAL_WEIGHTS;
  refuseOddWeights(names, table, weights !== undefined);
  return async (input) => {
    const outcomes = await Promise.all(names.map(async (name) => [name, await signals[name]?.(input)] as const));
    const parts: [string, Scored][] = [];
    for (const [name, outcome] of outcomes) {
      if (outcome?.kind !== 'scored') return explain(name, outcome);
      parts.push([name, outcome]);
    }
    const sum = parts.reduce((total, [name, { reward }]) => total + (table[name] ?? 0) * reward, 0);
    return scored(
      Math.min(1, Math.max(0, sum)),
      Object.fromEntries(parts.map(([name, { reward }]) => [name, reward])),
      parts.flatMap(([, { marks = [] }]) => marks),
    );
  };
}

function explain(name: string, outcome: Exclude<Outcome, Scored> | undefined): Outcome {
  if (outcome === undefined) return { kind: 'failed', failure: 'verifier', reason: `the part ${name} gave nothing` };
  return { ...outcome, reason: `${name}: ${outcome.reason}` };
}

function refuseOddWeights(names: readonly string[], table: Readonly<Record<string, number>>, isOwn: boolean): void {
  const without = names.filter((name) => table[name] === undefined);
  const unused = isOwn ? Object.keys(table).filter((name) => !names.includes(name)) : [];
  const odd = names.filter((name) => !Number.isFinite(table[name] ?? 0) || (table[name] ?? 0) < 0);
  if (without.length + unused.length + odd.length === 0 && names.length > 0) return;
  throw new EnvironmentError({
    kind: 'bad-definition',
    reason: [
      ...(names.length === 0 ? ['A reward of several signals has no signal.'] : []),
      ...(without.length === 0 ? [] : [`There is no weight for ${without.join(', ')}.`]),
      ...(unused.length === 0 ? [] : [`There is no signal for the weight of ${unused.join(', ')}.`]),
      ...(odd.length === 0 ? [] : [`The weight of ${odd.join(', ')} is not a number of at least 0.`]),
    ].join(' '),
    hint: 'Give weights one number for each signal.',
  });
}
