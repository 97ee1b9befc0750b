/** Between which numbers the scale of rewards runs. */
export interface RewardScale {
  readonly low: number;
  readonly high: number;
}

const SHADES = 6;

/** From 0 to 1, as rewards mostly are, and further where these go further: the same reward looks the same on two pages. */
export function makeRewardScale(lowest: number | null, highest: number | null): RewardScale {
  return { low: Math.min(0, lowest ?? 0), high: Math.max(1, highest ?? 1) };
}

/** The class of a reward on the scale. What has no score has none: a failure is no low reward. */
export function shadeReward(score: number | null, { low, high }: RewardScale): string {
  if (score === null) return 'reward-none';
  const share = (score - low) / (high - low);
  return `reward-${Math.max(0, Math.min(SHADES - 1, Math.floor(share * SHADES)))}`;
}
