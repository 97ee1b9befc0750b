export const LOW = 0.2;
export const HIGH = 0.9;

/** It begins low and ends high; the mean of the last three, so that one lucky step is none. */
export function judgeCurve(rewards: readonly number[]): { figure: string; ok: boolean } {
  const tail = rewards.slice(-3);
  const last = tail.reduce((sum, reward) => sum + reward, 0) / Math.max(1, tail.length);
  const first = rewards[0] ?? Number.NaN;
  return {
    figure: `${first.toFixed(3)} → ${last.toFixed(3)} in ${rewards.length} steps`,
    ok: first <= LOW && last >= HIGH,
  };
}
