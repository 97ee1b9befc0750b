/*
 * The public surface of @lachesis/protocol. Every export is named here; a name added here is a promise to everybody
 * who installs the package, and one that is not here may change at any time.
 */

// The packed group: the container a group is pushed, stored and handed out in.
export { PACKED_GROUP_CONTENT_TYPE } from './codec/group-payload.ts';
export { MASKED } from './codec/mask-bits.ts';

// What every package needs and none of them owns.
export { createSlots } from './values/create-slots.ts';
export { escapeHtml } from './values/escape-html.ts';
export { isRecord } from './values/is-record.ts';
export { mean } from './values/mean.ts';
export { summariseDifferences } from './values/paired-difference.ts';
export type { DifferenceSummary } from './values/paired-difference.ts';

// Time.
export { realClock } from './clock/clock.ts';
export type { Clock } from './clock/clock.ts';

// Ids.
export { createIdSource } from './ids/id-source.ts';
export type { IdSource } from './ids/id-source.ts';
export type { RunId } from './ids/id-types.ts';

// Models, and what was made from what.
export {
  improvementListSchema,
  improvementQuerySchema,
  improvementSchema,
  improvementStartSchema,
  improvePlanSchema,
} from './library/improvements.ts';
export type { ImprovePlan, ModelImprovement } from './library/improvements.ts';
export { jobSchemas } from './library/jobs.ts';
export {
  LINEAGE_SUBJECTS,
  lineageQuerySchema,
  lineageSchema,
  modelAdapterLineSchema,
  modelChangeSchema,
  modelComparisonLineSchema,
  modelComparisonSchema,
  modelDetailSchema,
  modelEvaluationSchema,
  modelPromotionSchema,
  modelQuerySchema,
  modelSampleSchemas,
  modelVersionListSchema,
} from './library/models.ts';
export type {
  Lineage,
  LineageTrace,
  ModelChange,
  ModelDetail,
  RegisteredModel,
  RegisteredPromotion,
} from './library/models.ts';

// What environments ask a trainer.
export { MOST_ITEM_RATES, trainerItemsRequestSchema, trainerItemsSchema } from './trainer/item-rates.ts';
export type { TrainerItems, TrainerItemsRequest } from './trainer/item-rates.ts';
export { trainerProgressRequestSchema, trainerProgressSchema } from './trainer/progress.ts';
export type { TrainerProgress, TrainerProgressRequest } from './trainer/progress.ts';

// The Atropos wire.
export { batchReplySchema } from './atropos/batch.ts';
export {
  environmentDisconnectReplySchema,
  environmentIdentifierSchema,
  environmentRegistrationReplySchema,
  environmentRegistrationSchema,
} from './atropos/environment.ts';
export type { EnvironmentRegistrationReply } from './atropos/environment.ts';
export { toPydanticDetail } from './atropos/pydantic-detail.ts';
export {
  infoReplySchema,
  registrationNumberSchema,
  registrationSchema,
  wandbInfoReplySchema,
} from './atropos/registration.ts';
export { EMPTY_EXAMPLE_KEYS } from './atropos/scored-data.ts';
export { environmentStatusReplySchema, rootReplySchema, statusReplySchema } from './atropos/status.ts';
export type { EnvironmentStatusReply } from './atropos/status.ts';

// The native routes of the trajectory API.
export {
  batchAckSchema,
  batchNackSchema,
  batchRenewSchema,
  batchRequestSchema,
  batchSettlementSchema,
  leaseReplySchema,
} from './trajectory-api/batch.ts';
export type { BatchSettlement, LeasedBatch } from './trajectory-api/batch.ts';
export { errorBodySchema, toIssues } from './trajectory-api/error-body.ts';
export type { ErrorBody } from './trajectory-api/error-body.ts';
export { decodeFrames, GROUP_FRAMES_CONTENT_TYPE } from './trajectory-api/frames.ts';
export { groupReceiptSchema } from './trajectory-api/group-receipt.ts';
export type { GroupReceipt } from './trajectory-api/group-receipt.ts';
export { ledgerSchema } from './trajectory-api/ledger.ts';
export type { Ledger } from './trajectory-api/ledger.ts';
export { quarantineListSchema } from './trajectory-api/quarantine.ts';
export { registrationReplySchema, registrationRequestSchema } from './trajectory-api/registration.ts';
export type { NativeRegistrationReply } from './trajectory-api/registration.ts';

// Names of HTTP headers.
export { HEADERS } from './headers.ts';

// Errors that cross the wire.
export { ERROR_CODES } from './errors/error-codes.ts';
export type { ErrorCode } from './errors/error-codes.ts';
export { LachesisError, toLachesisError } from './errors/lachesis-error.ts';

// What a token may do.
export { sessionSchemas } from './auth/session.ts';
export { costSchemas } from './library/costs.ts';
export { oversightSchemas } from './control/oversight.ts';
export { ratingQueueSchemas } from './feedback/rating-queue.ts';
export { streamSchemas } from './control/stream.ts';
export { hasScope, isScope, SCOPE_DESCRIPTIONS, SCOPES } from './auth/scopes.ts';
export type { Scope } from './auth/scopes.ts';
export { hideTokens, KEY_PATH, TOKEN_PREFIX } from './auth/token-text.ts';

// A message of a chat, its tool calls, and how models write those: one type each, everywhere.
export { chatMessageSchema, offeredToolSchema } from './chat/message.ts';
export type { ChatMessage, ChatToolCall, OfferedTool } from './chat/message.ts';
export { toChatMessage } from './chat/to-chat-message.ts';
export type { ToolCallFormat } from './chat/tool-call-formats.ts';

// The inference station: OpenAI's API with token ids, and the two shapes of /generate.
export { chatReplySchema, chatRequestSchema } from './openai/chat.ts';
export { completionReplySchema, completionRequestSchema } from './openai/completion.ts';
export {
  sglangGenerateReplySchema,
  sglangGenerateRequestSchema,
  vllmGenerateRequestSchema,
} from './openai/generate.ts';
export { findProviderVariable, findServerKey, isProviderUrl } from './openai/find-provider-variable.ts';
export { modelListSchema } from './openai/models.ts';
export { toOpenAiError } from './openai/openai-error.ts';
export { activePolicySchema, policyPublicationSchema, policyStateSchema } from './policy/policy.ts';
export type { ActivePolicy, PolicyPublication, PolicyState } from './policy/policy.ts';

// The recipe of a run.
export { environmentSectionSchema, recipeSchema, trainingConfigSchema } from './recipe/recipe.ts';
export type { Recipe } from './recipe/recipe.ts';
export type { EnvironmentMix } from './recipe/environment-mix.ts';
export { findPolicyLoss, isCodeFile, LOSSES } from './recipe/algorithms.ts';
export { readAlgorithm } from './recipe/read-algorithm.ts';
export { lastStepOf } from './recipe/trainer-section.ts';
export type { TrainerSection } from './recipe/trainer-section.ts';

// Trajectories: what recorders say, and what is kept of it.
export { captureReceiptSchema, captureRecordSchema, captureRequestSchema, CONSENTS } from './trajectory/capture.ts';
export type {
  CallRecord,
  CallState,
  CallTokens,
  CaptureReceipt,
  CaptureRecord,
  Consent,
  EndRecord,
  MessagesRecord,
  TokensMissingReason,
} from './trajectory/capture.ts';
export { REROLL_SOURCE, rerollKey, rerollSchemas } from './trajectory/reroll.ts';
export { isAskedFor, isModelNamed } from './trajectory/sources.ts';
export { trajectoryFilterSchema, trajectoryPageSchema, trajectorySummarySchema } from './trajectory/trajectory.ts';
export type {
  RecordGap,
  TrajectoryFilter,
  TrajectoryPage,
  TrajectorySummary,
  TrajectoryTurn,
} from './trajectory/trajectory.ts';

// Feedback.
export { AUTHOR_KINDS, FEEDBACK_KINDS, feedbackRequestSchema, feedbackValue } from './feedback/feedback.ts';
export type { Feedback, FeedbackInput, FeedbackRequest } from './feedback/feedback.ts';
export { readRules } from './feedback/read-rules.ts';

// Records: conversations and preferences as data.
export { dataRecordSchema, recordTokensSchema } from './records/record.ts';
export type { ConversationRecord, DataRecord, PreferenceRecord, RecordTokens } from './records/record.ts';
export { makeConversation, makePreference } from './records/make-record.ts';

// Rewards over HTTP.
export { rewardCallSchema, rewardReplySchema } from './rewards/reward-call.ts';

// How data sets are made, checked and taken out.
export {
  datasetCheckQuerySchema,
  datasetDeletionSchema,
  datasetImportSchema,
  datasetPieceSchemas,
  datasetMakeSchema,
  datasetReportSchema,
  exportLineSchema,
  exportQuerySchema,
  heldOutReplySchema,
  heldOutRequestSchema,
  madeDatasetSchema,
} from './library/datasets.ts';
export type { DatasetMade, DatasetReport, Dropped, ExportLine, HeldOutRow } from './library/datasets.ts';

// The library of the control process.
export {
  agreementQuerySchema,
  datasetListSchema,
  datasetRequestSchema,
  datasetVersionSchema,
  feedbackAgreementSchema,
  feedbackListSchema,
  feedbackQuerySchema,
  feedbackSchema,
  forgetReceiptSchema,
  forgetRequestSchema,
  tagRequestSchema,
  trajectoryDetailSchema,
  trajectoryReadSchemas,
} from './library/library.ts';
export type {
  DatasetVersion,
  FeedbackAgreement,
  FeedbackQuery,
  ForgetReceipt,
  ForgetRequest,
  TrajectoryDetail,
} from './library/library.ts';

// Redaction: secrets are taken out before anything is written.
export { collectSecretValues } from './redaction/collect-secret-values.ts';
export { createRedactor } from './redaction/create-redactor.ts';
export type { Redactor } from './redaction/create-redactor.ts';
export { redact } from './redaction/redact.ts';
export { openRedactor, readRedactionSettings } from './redaction/open-redactor.ts';
export { redactRecord } from './redaction/redact-record.ts';
export { isSecretFile } from './redaction/secret-files.ts';

// What long lists are, for who reads the replies of other servers.
export { isNumbers, isTokenIds } from './openai/token-ids.ts';

// The control API: environments, configuration, runs, metrics, logs, tests, and why a run waits.
export { controlHealthSchema } from './control/health.ts';
export type { ControlHealth } from './control/health.ts';
export {
  environmentCheckSchema,
  environmentListSchema,
  environmentSelectionSchema,
  environmentSourceSchema,
} from './control/environment.ts';
export type {
  EnvironmentCheck,
  EnvironmentEntry,
  EnvironmentSelection,
  EnvironmentSource,
} from './control/environment.ts';
export { configEditReplySchema, configEditSchema, controlConfigSchema, runEstimateSchema } from './control/config.ts';
export type { ConfigEdit, ConfigEditReply, ConfigField, ControlConfig, RunEstimate } from './control/config.ts';
export { runComparisonQuerySchema, runComparisonSchema } from './control/run-comparison.ts';
export type { RunComparison } from './control/run-comparison.ts';
export { runLedgerSchema } from './control/run-ledger.ts';
export type { RunLedger } from './control/run-ledger.ts';
export { runSettingsSchema } from './control/run-settings.ts';
export type { RunSettings } from './control/run-settings.ts';
export { fieldBoundsSchema, findBrokenBound } from './control/field-bounds.ts';
export type { FieldBounds } from './control/field-bounds.ts';
export { fieldKindSchema, judgeFieldKind } from './control/field-kind.ts';
export type { FieldKind } from './control/field-kind.ts';
export { isFinalRunState, mayFollow, RUN_ROLES, RUN_STATES } from './control/run-state.ts';
export type { FinalRunState, RunKind, RunProcessState, RunRole, RunState } from './control/run-state.ts';
export {
  runEventListSchema,
  runEventQuerySchema,
  runListQuerySchema,
  runListSchema,
  runRequestSchema,
  runStartSchema,
  runStatusSchema,
  runResumeSchema,
  runStopSchema,
} from './control/run.ts';
export type { RunList, RunRequest, RunStart, RunStatus, RunStop, RunSummary } from './control/run.ts';
export {
  metricsEventSchema,
  runExtremesSchemas,
  runMetricsQuerySchema,
  runMetricsSchema,
  statusEventSchema,
} from './control/metrics.ts';
export type { RunMetricPoint, RunMetrics, RunMetricsQuery, StatusEvent } from './control/metrics.ts';
export { logEventSchema, logQuerySchema } from './control/logs.ts';
export { rolloutSchemas } from './control/rollouts.ts';
export type { RolloutGroup, RolloutOutline, RolloutStep } from './control/rollouts.ts';
export { inferenceTestRequestSchema, inferenceTestSchema } from './control/inference-test.ts';
export type { InferenceTest, TestVerdict } from './control/inference-test.ts';
export { LEARNING_CAUSES, STALL_CAUSES, whyReplySchema } from './control/why.ts';
export type { LearningFinding, PreflightStep, Wait, WhyReply } from './control/why.ts';

// The ten tools for agents: what each takes and gives.
export { RL_TOOL_NAMES, rlToolInputSchemas, rlToolOutputSchemas } from './control/rl-tools.ts';
export type { RlToolInputs, RlToolName, RlToolOutputs } from './control/rl-tools.ts';
