/**
 * Kendall's tau-b of scores and ratings: how often they order two replies alike. 1 is always, 0 is chance; ties count for
 * neither side, and ratings have many.
 */
export function measureAgreement(scores: readonly number[], ratings: readonly number[]): number {
  let together = 0;
  let scoreTies = 0;
  let ratingTies = 0;
  let all = 0;
  for (let left = 0; left < scores.length; left += 1) {
    for (let right = left + 1; right < scores.length; right += 1) {
      const a = Math.sign(scores[left]! - scores[right]!);
      const b = Math.sign(ratings[left]! - ratings[right]!);
      all += 1;
      together += a * b;
      if (a === 0) scoreTies += 1;
      if (b === 0) ratingTies += 1;
    }
  }
  const scale = Math.sqrt((all - scoreTies) * (all - ratingTies));
  return scale === 0 ? 0 : together / scale;
}
