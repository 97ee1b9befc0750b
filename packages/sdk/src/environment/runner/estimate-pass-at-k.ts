/**
 * The chance that at least one of `k` samples is right, from `correct` of `samples` drawn: 1 − C(n−c, k) / C(n, k), the unbiased
 * estimator of Chen et al., "Evaluating Large Language Models Trained on Code" (2021). 1 − (1 − c/n)^k would be too low.
 * Undefined where fewer than `k` were drawn.
 */
export function estimatePassAtK({
  samples,
  correct,
  k,
}: {
  samples: number;
  correct: number;
  k: number;
}): number | undefined {
  if (k < 1 || k > samples) return undefined;
  if (samples - correct < k) return 1;
  // The quotient of the two binomials as a product, which stays in range where either of them does not.
  let allWrong = 1;
  for (let drawn = samples - correct + 1; drawn <= samples; drawn += 1) allWrong *= 1 - k / drawn;
  return 1 - allWrong;
}
