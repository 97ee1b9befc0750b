/*
 * How the parts are joined, for those who bring parts of their own: tests above all. Nothing here is needed to use the
 * product.
 */

export { buildTrajectoryApi } from './build-trajectory-api.ts';
export type { BuiltTrajectoryApi, TrajectoryApiReplacements } from './build-trajectory-api.ts';
export { serveTrajectoryApi } from './trajectory-api-child.ts';
export { startTrajectoryApi } from './trajectory-api.ts';
export { buildControl } from './control-build.ts';
export type { BuiltControl, ControlReplacements } from './control-build.ts';
export { buildInference } from './inference-build.ts';
export type { BuiltInference } from './inference-build.ts';
export { createInferenceHttp } from './inference-http.ts';
export type { InferenceHttpOptions } from './inference-http.ts';
export { openInference } from './inference-parts.ts';
export type { OpenInferenceOptions } from './inference-parts.ts';
export type { ControlRuns, RunReplacements } from './control-runs.ts';
export { stopRun } from './control-stop.ts';
export type { PlanRun, Preflight, ProcessPlan, RunPlan } from '../control/supervisor/run-plan.ts';
export type { ProcessTable, TaggedProcess } from '../control/supervisor/process-table.ts';
export { createLog } from '../platform/logs/create-log.ts';
export { openAuditLog } from '../platform/audit/open-audit-log.ts';
export type { AuditLog, OpenAuditLogOptions } from '../platform/audit/open-audit-log.ts';
export { createWhy, type Why, type WhyParts } from '../control/why/create-why.ts';
export { trainOnRecords } from './record-training.ts';
export type { RecordTrainingResult, TrainOnRecordsOptions } from './record-training.ts';
export type { RecordExample, RecordMethod, RecordModel } from '../loop/trainer/records/method.ts';
export { measureModels } from './improve-measure.ts';
export type { MeasuredItem, MeasureOptions, ReplyToScore, ScoreReply } from './improve-measure.ts';

export { beginImprovement, countNewRatings, improveModel } from './improve.ts';
export type { ImproveOptions } from './improve.ts';
export { IMPROVE_STAGES } from '../control/improve/improve-stages.ts';
export type { ImproveStage, StageContents as ImproveStageContents } from '../control/improve/improve-stages.ts';
export { improvePlanSchema } from '../control/improve/improve-plan.ts';
export type { ImprovePlan, ImprovePlanInput } from '../control/improve/improve-plan.ts';
export type { ImproveProgress } from '../control/improve/run-improvement.ts';
export { describeGain } from '../control/improve/gates.ts';
