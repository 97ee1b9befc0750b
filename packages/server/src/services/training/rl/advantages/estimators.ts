import type { TrainerSection } from '@lachesis/protocol';
import type { AdvantageEstimator } from './estimator.ts';
import { leaveOneOut } from './leave-one-out.ts';
import { lengthNormalised } from './length-normalised.ts';
import { meanCentred } from './mean-centred.ts';
import { stdNormalised } from './std-normalised.ts';

/** The estimators by their names in a recipe. */
export const estimators: Readonly<Record<TrainerSection['advantage'], AdvantageEstimator>> = Object.freeze({
  mean_centred: meanCentred,
  std_normalised: stdNormalised,
  leave_one_out: leaveOneOut,
  length_normalised: lengthNormalised,
});
