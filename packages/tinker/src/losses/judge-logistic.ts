import { logSigmoid, sigmoid } from './log-sigmoid.ts';

/** −(1−ε)·log σ(x) − ε·log σ(−x) and its derivative: the logistic loss of a preference that is wrong with chance ε. */
export function judgeLogistic(x: number, labelSmoothing: number): { loss: number; slope: number } {
  return {
    loss: -(1 - labelSmoothing) * logSigmoid(x) - labelSmoothing * logSigmoid(-x),
    slope: -(1 - labelSmoothing) * sigmoid(-x) + labelSmoothing * sigmoid(x),
  };
}
