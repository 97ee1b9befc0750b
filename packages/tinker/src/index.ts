/*
 * The public surface of @lachesis/tinker. Every export is named here; a name added here is a promise to everybody who
 * installs the package, and one that is not here may change at any time.
 */

// The client.
export { createTinkerClient } from './create-tinker-client.ts';
export type { TinkerEvent } from './events.ts';
export type { TinkerService } from './service/tinker-service.ts';
export type { JournalFile } from './futures/journal.ts';

// Training.
export type { OperationHandle } from './training/operation-queue.ts';
export type { OptimizerParams } from './training/optimizer.ts';
export type { PassOptions, PassResult, TrainingClient } from './training/training-client.ts';

// Sampling.
export type { SamplingClient } from './sampling/sampling-client.ts';

// Data.
export type { Datum } from './codec/datum.ts';

// What servers do.
export { MANAGED_PROFILE } from './profile/profiles.ts';

// Errors.
export {
  TinkerAbandonedError,
  TinkerProtocolError,
  TinkerStoppedError,
  TinkerTimeoutError,
  TinkerTransportError,
} from './errors/client-errors.ts';
export {
  TinkerAuthError,
  TinkerBillingError,
  TinkerConflictError,
  TinkerJobFailedError,
  TinkerNotFoundError,
  TinkerPromiseExpiredError,
  TinkerRateLimitedError,
  TinkerValidationError,
} from './errors/server-errors.ts';
export { TinkerError } from './errors/tinker-error.ts';

// Custom losses.
export { createDpoLoss } from './losses/dpo-loss.ts';
export { createIpoLoss } from './losses/ipo-loss.ts';
export { createSimpoLoss } from './losses/simpo-loss.ts';
export { createBradleyTerryLoss } from './losses/bradley-terry-loss.ts';
export { createKtoLoss } from './losses/kto-loss.ts';
export { createPolicyLoss } from './losses/policy/policy-loss.ts';
export { findAggregationWeights } from './losses/policy/find-aggregation-weights.ts';
export { defineLoss } from './losses/own/define-loss.ts';
export { defineAdvantage } from './losses/own/define-advantage.ts';
export { createOwnLoss } from './losses/own/create-own-loss.ts';
export { tryOwnLoss } from './losses/own/try-own-loss.ts';
export { type CustomLossOutcome } from './losses/run-custom-loss.ts';
export type { CustomLoss, Logprobs } from './losses/custom-loss.ts';
export { LossInputError } from './losses/loss-input-error.ts';

// Weights.
export { formatTinkerPath, parseTinkerPath } from './weights/tinker-path.ts';
export { planDeleteCheckpoint, planListCheckpoints, planWeightsInfo } from './weights/request-plans.ts';
export { readCheckpointList } from './weights/checkpoint-list.ts';
export { downloadAdapter, downloadListedAdapter } from './weights/download-adapter.ts';
export { FLOAT_TYPES } from './weights/merge/float-formats.ts';
export { mergeAdapter } from './weights/merge/merge-adapter.ts';
export type { WeightsServer } from './weights/weights-server.ts';
export { WeightsError } from './weights/weights-error.ts';
