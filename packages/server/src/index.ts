/*
 * The public surface of @lachesis/server: how its processes are started and set. Every export is a promise; what is not
 * named here may change at any time.
 */

export { startTrajectoryApi } from './processes/trajectory-api.ts';
export type { TrajectoryApiProcessOptions } from './processes/trajectory-api.ts';
export type { SocketKeeper } from './processes/socket-keeper.ts';
export { REFUSED_EXIT_CODE, SettingError } from './platform/settings/setting-error.ts';
export type { ResolvedSettings, SettingOrigin } from './platform/settings/resolve-settings.ts';
export { readTrajectoryApiSettings, TRAJECTORY_API_SETTINGS } from './platform/settings/trajectory-api-settings.ts';
export type { TrajectoryApiSettings } from './platform/settings/trajectory-api-settings.ts';
export { INFERENCE_SETTINGS, readInferenceSettings } from './platform/settings/inference-settings.ts';
export type { InferenceSettings } from './platform/settings/inference-settings.ts';
export { startInference } from './processes/inference.ts';
export type { InferenceProcessOptions } from './processes/inference.ts';

export { startReward } from './processes/reward.ts';
export type { RewardProcessOptions } from './processes/reward.ts';
export { readRewardSettings, REWARD_SETTINGS } from './platform/settings/reward-settings.ts';
export type { RewardSettings } from './platform/settings/reward-settings.ts';

export { startControl } from './processes/control.ts';
export type { ControlProcessOptions } from './processes/control.ts';
export { CONTROL_SETTINGS, readControlSettings } from './platform/settings/control-settings.ts';
export type { ControlSettings } from './platform/settings/control-settings.ts';
export { identifyLibrary } from './control/library/identify-library.ts';

export { startTrainer } from './processes/trainer.ts';
export type { TrainerProcessOptions } from './processes/trainer.ts';
export { readTrainerSettings, TRAINER_SETTINGS } from './platform/settings/trainer-settings.ts';
export type { TrainerSettings } from './platform/settings/trainer-settings.ts';
export type { TrainerStatus } from './loop/trainer/trainer-status.ts';
export { runTraining } from './processes/train.ts';
export type { TrainOptions, TrainProcessPlan } from './processes/train.ts';

export { rerollLoneNegatives, trainOnRecords } from './processes/train-on-records.ts';
export type { RerolledNegatives, RerollLoneNegativesOptions } from './processes/reroll-lone-negatives.ts';
export type {
  RecordTrainingProgress,
  RecordTrainingReplacements,
  RecordTrainingResult,
  TrainOnRecordsOptions,
} from './processes/record-training.ts';
export type { RecordMethodName } from './loop/trainer/records/method.ts';
export type { RecordTrainingSettings } from './loop/trainer/records/settings.ts';

export { stopRun } from './processes/control-stop.ts';
export type { StopRunOptions } from './processes/control-stop.ts';
export type { Program } from './processes/control-program.ts';

export { COMPARED_STEPS, judgeLearning } from './control/why/judge-learning.ts';
export type { Learning, LearningStep } from './control/why/judge-learning.ts';

export { findRecipe } from './control/config/find-recipe.ts';
export type { FindRecipeOptions } from './control/config/find-recipe.ts';

export { readPriceTable } from './processes/price-table.ts';
export { findCost } from './loop/inference/recording/find-cost.ts';
export type { PriceTable } from './loop/inference/recording/price-table.ts';
