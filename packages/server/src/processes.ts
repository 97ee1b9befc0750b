/*
 * How the parts are joined, for those who bring parts of their own: tests above all. Nothing here is needed to use the
 * product.
 */

export { buildTrajectoryApi } from './trajectory-api/build.ts';
export type { BuiltTrajectoryApi, TrajectoryApiReplacements } from './trajectory-api/build.ts';
export { serveTrajectoryApi } from './trajectory-api/child.ts';
export { startTrajectoryApi } from './trajectory-api/start.ts';
export { buildControl } from './control/build.ts';
export type { BuiltControl, ControlReplacements } from './control/build.ts';
export { buildInference } from './inference/build.ts';
export type { BuiltInference } from './inference/build.ts';
export { createInferenceHttp } from './http/inference-http.ts';
export type { InferenceHttpOptions } from './http/inference-http.ts';
export { openInference } from './inference/open-inference.ts';
export type { OpenInferenceOptions } from './inference/open-inference.ts';
export type { ControlRuns, RunReplacements } from './control/runs.ts';
export { stopRun } from './services/runs/stop-run.ts';
export type { PlanRun, Preflight, ProcessPlan, RunPlan } from './services/runs/supervisor/run-plan.ts';
export type { ProcessTable, TaggedProcess } from './services/runs/supervisor/process-table.ts';
export { createLog } from './http/logs/create-log.ts';
export { openAuditLog } from './http/audit/open-audit-log.ts';
export type { AuditLog, OpenAuditLogOptions } from './http/audit/open-audit-log.ts';
export { createWhy, type Why, type WhyParts } from './services/runs/why/create-why.ts';
export { trainOnRecords } from './services/training/records/training.ts';
export type { RecordTrainingResult, TrainOnRecordsOptions } from './services/training/records/training.ts';
export type { RecordExample, RecordMethod, RecordModel } from './services/training/records/method.ts';
export { measureModels } from './services/improve/measure.ts';
export type { MeasuredItem, MeasureOptions, ReplyToScore, ScoreReply } from './services/improve/measure.ts';

export { beginImprovement, countNewRatings, improveModel } from './services/improve/improve.ts';
export type { ImproveOptions } from './services/improve/improve.ts';
export { IMPROVE_STAGES } from './services/improve/stages.ts';
export type { ImproveStage, StageContents as ImproveStageContents } from './services/improve/stages.ts';
export { improvePlanSchema } from './services/improve/plan.ts';
export type { ImprovePlan, ImprovePlanInput } from './services/improve/plan.ts';
export type { ImproveProgress } from './services/improve/run-improvement.ts';
export { describeGain } from './services/improve/gates.ts';
