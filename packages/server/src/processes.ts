/*
 * How the parts are joined, for those who bring parts of their own: tests above all. Nothing here is needed to use the
 * product.
 */

export { buildTrajectoryApi } from './trajectory-api/build.ts';
export { serveTrajectoryApi } from './trajectory-api/child.ts';
export { startTrajectoryApi } from './trajectory-api/start.ts';
export { buildControl } from './control/build.ts';
export type { ControlReplacements } from './control/build.ts';
export { buildInference } from './inference/build.ts';
export { createInferenceHttp } from './http/inference-http.ts';
export type { RunReplacements } from './control/runs.ts';
export { stopRun } from './services/runs/stop-run.ts';
export type { ProcessTable } from './services/runs/supervisor/process-table.ts';
export { createLog } from './http/logs/create-log.ts';
export { openAuditLog } from './http/audit/open-audit-log.ts';
export { createWhy } from './services/runs/why/create-why.ts';
export { trainOnRecords } from './services/training/records/training.ts';
export type { RecordExample, RecordMethod } from './services/training/records/method.ts';
export { measureModels } from './services/improve/measure.ts';
export type { ScoreReply } from './services/improve/measure.ts';

export { beginImprovement, countNewRatings, improveModel } from './services/improve/improve.ts';
export type { StageContents as ImproveStageContents } from './services/improve/stages.ts';
export { improvePlanSchema } from './services/improve/plan.ts';
export type { ImprovePlan, ImprovePlanInput } from './services/improve/plan.ts';
export type { ImproveProgress } from './services/improve/run-improvement.ts';
export { describeGain } from './services/improve/gates.ts';
