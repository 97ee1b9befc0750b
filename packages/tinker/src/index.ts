/*
 * The public surface of @lachesis/tinker. Every export is named here; a name added here is a promise to everybody who
 * installs the package, and one that is not here may change at any time.
 */

// The client.
export { createTinkerClient } from './create-tinker-client.ts';
export type { TinkerClient, TinkerClientOptions } from './create-tinker-client.ts';
export type { OnTinkerEvent, QueueState, TinkerEvent } from './events.ts';
export type { CreateTrainingOptions, FromStateOptions, ModelFacts } from './service/model-options.ts';
export type { ReattachedJob, ReattachedResult, Reattachment } from './service/reattach.ts';
export type { CreateSamplerOptions, TinkerService } from './service/tinker-service.ts';
export type { SupportedModel } from './session/open-session.ts';
export type { JournalFile, OpenModel } from './futures/journal.ts';
export type { Clock } from '@lachesis/protocol';
export type { WaitOptions } from './transport/deadline.ts';

// Training.
export type { OperationHandle } from './training/operation-queue.ts';
export type { OptimizerParams } from './training/optimizer.ts';
export type { SaveOptions } from './training/save-operation.ts';
export type {
  NormalisationChoice,
  PassOptions,
  PassResult,
  TrainingClient,
  TrainingModel,
} from './training/training-client.ts';

// Sampling.
export type { SampledSequence, SampleReply } from './sampling/read-sample.ts';
export type { SampleLimiterState } from './sampling/sample-limiter.ts';
export type { SampleOptions, SamplingParams } from './sampling/sample-request.ts';
export type { SamplingClient } from './sampling/sampling-client.ts';

// Data.
export type {
  Datum,
  ForwardBackwardOutput,
  InputChunk,
  LossConfig,
  LossOutput,
  ProvenanceSpan,
} from './codec/datum.ts';
export type { TopkLogprobs } from './codec/sample-result.ts';
export type { Tensor, TensorData, TensorInput } from './codec/tensor.ts';

// What servers do.
export { MANAGED_PROFILE, SKYRL_PROFILE, TUFT_PROFILE, UNKNOWN_PROFILE } from './profile/profiles.ts';
export type { Normalisation, ServerProfile } from './profile/server-profile.ts';

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
export type { InvalidField, JobFailureCategory } from './errors/server-errors.ts';
export { TinkerError } from './errors/tinker-error.ts';
export type { TinkerErrorKind } from './errors/tinker-error.ts';

// Custom losses.
export { createDpoLoss, type DpoOptions } from './losses/dpo-loss.ts';
export { createIpoLoss, type IpoOptions } from './losses/ipo-loss.ts';
export { createSimpoLoss, type SimpoOptions } from './losses/simpo-loss.ts';
export { createBradleyTerryLoss, type BradleyTerryOptions } from './losses/bradley-terry-loss.ts';
export { createKtoLoss, type KtoLabel, type KtoOptions } from './losses/kto-loss.ts';
export { createTapeLoss, type TapeLossInput, type TapeLossOutput } from './losses/tape-loss.ts';
export { createTape, type Tape, type TapeOperand, type TapeValue } from './losses/tape.ts';
export {
  planSurrogate,
  type LossNormalisation,
  type PlanSurrogateOptions,
  type SurrogatePlan,
  type SurrogateProfile,
} from './losses/plan-surrogate.ts';
export {
  runCustomLoss,
  type CustomLossOutcome,
  type ForwardSource,
  type RunCustomLossOptions,
  type SurrogateSink,
} from './losses/run-custom-loss.ts';
export type { CustomLoss, CustomLossInput, CustomLossResult, Logprobs, Reduction } from './losses/custom-loss.ts';
export type { PairOptions, PreferencePair } from './losses/pairwise-loss.ts';
export type { SequenceScore } from './losses/score-coefficients.ts';
export { LossInputError } from './losses/loss-input-error.ts';

// Weights.
export {
  checkpointId,
  formatTinkerPath,
  parseTinkerPath,
  type TinkerPath,
  type WeightsKind,
} from './weights/tinker-path.ts';
export {
  planArchive,
  planDeleteCheckpoint,
  planExternalWeightsUrls,
  planListCheckpoints,
  planListRuns,
  planPublishCheckpoint,
  planReadRun,
  planSetCheckpointTtl,
  planUnpublishCheckpoint,
  planWeightsInfo,
  type RequestPlan,
} from './weights/request-plans.ts';
export { readCheckpointList, type Checkpoint } from './weights/checkpoint-list.ts';
export { downloadAdapter, type DownloadAdapterOptions, type DownloadedAdapter } from './weights/download-adapter.ts';
export type { AdapterLimits } from './weights/fetch-adapter-files.ts';
export { FLOAT_TYPES, type FloatType } from './weights/float-formats.ts';
export { mergeAdapter, type MergeAdapterOptions, type MergedModel } from './weights/merge-adapter.ts';
export { readSafetensorsHeader, type SafetensorsHeader, type TensorEntry } from './weights/safetensors-header.ts';
export type { WeightsServer } from './weights/weights-server.ts';
export { WeightsError, type WeightsErrorReason } from './weights/weights-error.ts';
