import { ALGORITHMS, type Algorithm, findPolicyLoss, isCodeFile, PLAIN_ALGORITHM } from './algorithms.ts';
import type { TrainerSection } from './trainer-section.ts';

/** The algorithm of a run: what the recipe says, then its preset, then what was always so. */
export function readAlgorithm(section: TrainerSection): Algorithm {
  const preset: Algorithm = { ...PLAIN_ALGORITHM, ...(section.algorithm ? ALGORITHMS[section.algorithm] : {}) };
  const loss = section.loss ?? preset.loss;
  const chosen = isCodeFile(loss) ? withoutLoss(preset) : preset;
  const own = findPolicyLoss(loss)?.bounds;
  // The bounds of a preset are those of its loss.
  const bounds = loss === chosen.loss ? (chosen.bounds ?? own) : own;
  const { clip_low_threshold: low, clip_high_threshold: high } = section;
  return {
    loss,
    bounds: bounds === undefined ? undefined : { low: low ?? bounds.low, high: high ?? bounds.high },
    advantage: section.advantage ?? chosen.advantage,
    aggregation: section.loss_aggregation ?? chosen.aggregation,
    length: section.loss_length ?? chosen.length,
    correction: section.sampler_correction ?? chosen.correction,
    correctionCap: section.sampler_correction_cap ?? chosen.correctionCap,
    entropyCoefficient: section.entropy_coefficient ?? chosen.entropyCoefficient,
    klCoefficient: section.kl_coefficient ?? chosen.klCoefficient,
    klEstimator: section.kl_estimator ?? chosen.klEstimator,
    klIn: section.kl_in ?? chosen.klIn,
    overlongFilter: section.overlong_filter ?? chosen.overlongFilter,
    overlongBuffer: section.overlong_buffer ?? chosen.overlongBuffer,
  };
}

/** What a preset says beside its loss: a file is the whole of one. */
function withoutLoss(preset: Algorithm): Algorithm {
  const { aggregation, length, correction, correctionCap, entropyCoefficient } = PLAIN_ALGORITHM;
  const kl = preset.klIn === 'loss' ? { klCoefficient: 0, klIn: PLAIN_ALGORITHM.klIn } : {};
  return { ...preset, aggregation, length, correction, correctionCap, entropyCoefficient, ...kl };
}
