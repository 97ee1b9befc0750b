import { mean } from '@lachesis/protocol';

/** What a group's scores and lengths say about whether it can teach anything. */
export interface GroupHealth {
  /** All scores are equal: every advantage is zero. */
  readonly isDead: boolean;
  readonly meanReward: number;
  readonly rewardDeviation: number;
  /** Of the distribution of the distinct scores, in bits: 0 for a dead group, 1 for half right and half wrong. */
  readonly rewardEntropy: number;
  readonly lengths: LengthStatistics;
  /** Share of rollouts that a limit ended. */
  readonly truncatedShare: number;
  /** Share of all that was earned that they earned; 0 when nothing was. */
  readonly truncatedRewardShare: number;
}

export interface LengthStatistics {
  readonly mean: number;
  readonly deviation: number;
  readonly least: number;
  readonly most: number;
}

export function measureGroup(
  rollouts: readonly { readonly reward: number; readonly sampledTokens: number; readonly wasTruncated: boolean }[],
): GroupHealth {
  const rewards = rollouts.map(({ reward }) => reward);
  const lengths = rollouts.map(({ sampledTokens }) => sampledTokens);
  return {
    isDead: rewards.every((reward) => reward === rewards[0]),
    meanReward: mean(rewards),
    rewardDeviation: deviation(rewards),
    rewardEntropy: entropy(rewards),
    lengths: {
      mean: mean(lengths),
      deviation: deviation(lengths),
      least: lengths.reduce((least, length) => Math.min(least, length), lengths[0] ?? 0),
      most: lengths.reduce((most, length) => Math.max(most, length), 0),
    },
    truncatedShare: mean(rollouts.map(({ wasTruncated }) => (wasTruncated ? 1 : 0))),
    truncatedRewardShare: shareOfReward(rollouts),
  };
}

function shareOfReward(rollouts: readonly { readonly reward: number; readonly wasTruncated: boolean }[]): number {
  const sum = (of: readonly { readonly reward: number }[]): number =>
    of.reduce((total, { reward }) => total + Math.abs(reward), 0);
  const all = sum(rollouts);
  return all === 0 ? 0 : sum(rollouts.filter(({ wasTruncated }) => wasTruncated)) / all;
}

/** Population deviation. */
function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

function entropy(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / values.length;
    bits -= share * Math.log2(share);
  }
  // -0 for a single value.
  return Math.abs(bits);
}
