/*
 * How the parts are joined, for those who bring parts of their own: tests above all. Nothing here is needed to use the
 * product.
 */

export { buildInference } from './inference/build.ts';
export { openLocalControl } from './control/local-control.ts';
export { resumeHere } from './services/runs/train.ts';
export { createLog } from './http/logs/create-log.ts';
export type { ScoreReply } from './services/improve/measure.ts';

export { beginImprovement, countNewRatings, improveModel } from './services/improve/improve.ts';
export type { StageContents as ImproveStageContents } from './services/improve/stages.ts';
export { refuseUnknownModel } from './services/improve/own-trajectories.ts';
export { describeGain } from './services/improve/gates.ts';
