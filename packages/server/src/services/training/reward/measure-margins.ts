import { sigmoid } from './odds-loss.ts';

/** How well margins tell which of two replies people preferred. */
export interface PairQuality {
  pairs: number;
  /** Share of pairs in which the preferred one is ahead. Equal scores count half. */
  accuracy: number;
  /** Mean −log σ(margin); 0.693 knows nothing. */
  logLoss: number;
  /** Mean squared error of σ(margin). */
  brier: number;
  /** How far confidence is from being right, as a mean over bins of confidence; 0 is calibrated. */
  calibrationError: number;
  meanMargin: number;
  /** By bin of confidence, from one half to one: how much too sure it is there, by its share of the pairs. */
  calibrationGaps: number[];
}

const BINS = 10;

/**
 * Judges margins: score of the preferred reply minus score of the other. The order of a pair says nothing here, so confidence
 * is that of the likelier side, max(p, 1 − p), and right means that the likelier side is the preferred one.
 */
export function measureMargins(margins: readonly number[]): PairQuality {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, confidence: 0, right: 0 }));
  let right = 0;
  let logLoss = 0;
  let brier = 0;
  let sum = 0;
  for (const margin of margins) {
    const chance = sigmoid(margin);
    const isRight = margin > 0 ? 1 : margin === 0 ? 0.5 : 0;
    const confidence = Math.max(chance, 1 - chance);
    right += isRight;
    logLoss -= Math.log(Math.max(chance, Number.MIN_VALUE));
    brier += (1 - chance) ** 2;
    sum += margin;
    // Confidence lies between one half and one.
    const bin = bins[Math.min(BINS - 1, Math.floor((confidence - 0.5) * 2 * BINS))]!;
    bin.count += 1;
    bin.confidence += confidence;
    bin.right += isRight;
  }
  const count = Math.max(1, margins.length);
  const calibrationGaps = bins.map(({ confidence, right: hits }) => (confidence - hits) / count);
  return {
    pairs: margins.length,
    accuracy: right / count,
    logLoss: logLoss / count,
    brier: brier / count,
    calibrationError: sumGaps(calibrationGaps),
    meanMargin: sum / count,
    calibrationGaps,
  };
}

/** The expected calibration error: gaps of single bins do not make up for one another. */
export const sumGaps = (gaps: readonly number[]): number => gaps.reduce((total, gap) => total + Math.abs(gap), 0);
