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
export { createWhy, type Why, type WhyParts } from '../control/why/create-why.ts';
