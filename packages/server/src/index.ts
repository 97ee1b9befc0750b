/*
 * The public surface of @lachesis/server: how its processes are started and set. Every export is a promise; what is not
 * named here may change at any time.
 */

export { startTrajectoryApi } from './trajectory-api/start.ts';
export type { SocketSupervisor } from './process/supervise-socket.ts';
export { SettingError } from './http/settings/setting-error.ts';
export { readTrajectoryApiSettings, TRAJECTORY_API_SETTINGS } from './http/settings/trajectory-api-settings.ts';
export { INFERENCE_SETTINGS, readInferenceSettings } from './http/settings/inference-settings.ts';
export { startInference } from './inference/start.ts';

export { startReward } from './reward/start.ts';
export { readRewardSettings, REWARD_SETTINGS } from './http/settings/reward-settings.ts';

export { startControl } from './control/start.ts';
export { CONTROL_SETTINGS, readControlSettings } from './http/settings/control-settings.ts';
export type { ControlSettings } from './http/settings/control-settings.ts';
export { identifyLibrary } from './services/library/identify-library.ts';

export { startTrainer } from './trainer/start.ts';
export { readTrainerSettings, TRAINER_SETTINGS } from './http/settings/trainer-settings.ts';
export type { TrainerStatus } from './services/training/rl/status.ts';
export { mixEnvironments } from './services/runs/mix-environments.ts';
export { runTraining } from './services/runs/run-training.ts';
export { findOwnProgram } from './services/runs/programs/program.ts';

export { checkOwnCode } from './services/training/rl/own-code/check-own-code.ts';
export { rerollLoneNegatives, trainOnRecords } from './services/training/records/train-on-records.ts';
export type { RecordTrainingProgress } from './services/training/records/training.ts';
export type { RecordMethodName } from './services/training/records/method.ts';

export { rolloutsToData } from './services/runs/rollouts/make-rollout-data.ts';
export { stopRun } from './services/runs/stop-run.ts';

export { judgeLearning } from './services/runs/why/learning/judge-learning.ts';
export { toCurves } from './services/runs/why/learning/to-curves.ts';

export { findRecipe } from './services/runs/config/find-recipe.ts';

export { readPriceTable } from './services/models/read-price-table.ts';
export { findCost } from './services/models/find-cost.ts';
