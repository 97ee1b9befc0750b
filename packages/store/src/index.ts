/*
 * The public surface of @lachesis/store. Every export is named here; a name added here is a promise to everybody who
 * installs the package, and one that is not here may change at any time.
 */

// The database.
export { openStore } from './database/open-store.ts';
export type { OpenStoreOptions } from './database/open-store.ts';
export type { CommitReceipt, Store, WriteStatement, WriteUnit } from './database/store.ts';
export { databaseClock } from './database/database-clock.ts';

// The schema.
export type { Database } from './schema/database.ts';
export { BATCH_FATES, GROUP_FATES, GROUP_PLACES, OPEN_BATCH_STATES } from './schema/queue.ts';
export type { BatchFate, GroupFate, GroupPlace, OpenBatchState } from './schema/queue.ts';
export { STEP_STATES } from './schema/training.ts';
export type { StepState } from './schema/training.ts';
export type { Migration, StoreDialect } from './migrations/migration.ts';
export { allMigrations } from './migrations/all-migrations.ts';

// Errors.
export type { StoreError, WriteOutcome } from './errors/store-error.ts';
export { BlobCorruptError, BlobMissingError } from './errors/blob-errors.ts';
export { DatabaseUrlError } from './errors/database-url-error.ts';
export { DiskFullError } from './errors/disk-full-error.ts';
export { MigrationChangedError, SchemaTooNewError } from './errors/schema-errors.ts';
export { StaleWriteError } from './errors/stale-write-error.ts';
export { StoreClosedError } from './errors/store-closed-error.ts';
export { StoreConflictError } from './errors/store-conflict-error.ts';
export { StoreTimeoutError } from './errors/store-timeout-error.ts';
export { StoreUnavailableError } from './errors/store-unavailable-error.ts';

// Blobs.
export type { BlobEntry, BlobNotes, BlobStore, CollectableBlobs, LibraryBlobs } from './blobs/blob-store.ts';
export { collectOrphans } from './blobs/collect-orphans.ts';
export type { CollectOrphansOptions, OrphanReport } from './blobs/collect-orphans.ts';
export { addBlobReference, dropBlobReference, isBlobReferenced } from './blobs/blob-references.ts';

// A home: a database and the payloads that belong to it.
export { collectHomeOrphans, openHome, openHomeBlobs } from './home/open-home.ts';
export { listOutboxes } from './home/outboxes.ts';
export type { Outbox } from './home/outboxes.ts';
export type {
  CollectHomeOrphansOptions,
  Home,
  HomeBlobs,
  OpenHomeBlobsOptions,
  OpenHomeOptions,
} from './home/open-home.ts';
export { checkLibrary, claimLibrary } from './home/claim-library.ts';
export type { ClaimLibraryOptions } from './home/claim-library.ts';
export type { LibraryMarker } from './home/library-marker.ts';
export { StrangeBlobsError } from './errors/home-errors.ts';
export type { BlobsMismatch } from './errors/home-errors.ts';

// Leases: who alone may write about a thing.
export { LeaseLostError } from './errors/lease-lost-error.ts';
export { acquireLease, releaseLease, renewLease } from './leases/acquire-lease.ts';
export type { AcquireLeaseOptions, HeldOptions } from './leases/acquire-lease.ts';
export { fence } from './leases/fence.ts';
export { holdLease, keepLease } from './leases/hold-lease.ts';
export type { KeptLease } from './leases/hold-lease.ts';
export type { Lease, LeaseKey, LeaseKind } from './leases/lease.ts';

// Events.
export { toCanonicalJson } from './events/canonical-json.ts';
export type { JsonValue } from './events/canonical-json.ts';
export { chainEvent, FIRST_PREVIOUS_HASH } from './events/chain-event.ts';
export type { ChainedEvent } from './events/chain-event.ts';
export { createEventRow } from './events/create-event-row.ts';
export { readEventPage } from './events/read-event-page.ts';
export type { EventPageOptions } from './events/read-event-page.ts';
export { verifyChain } from './events/verify-chain.ts';
export type { ChainLink, ChainVerdict } from './events/verify-chain.ts';

// The audit log.
export { appendAudit } from './audit/append-audit.ts';
export type { AppendAuditOptions } from './audit/append-audit.ts';
export { moveAuditAnchor, readAuditAnchor } from './audit/audit-anchor.ts';
export { openAuditKey, readAuditPublicKey } from './audit/audit-key.ts';
export type { AuditKey, AuditPublicKey } from './audit/audit-key.ts';
export type { AuditEntry, AuditLine } from './audit/audit-line.ts';
export { exportAudit, toAuditAnchor, verifyAuditExport } from './audit/export-audit.ts';
export { listAudit, readAuditHead } from './audit/read-audit.ts';
export type { AuditFilter } from './audit/read-audit.ts';
export { retainAudit } from './audit/retain-audit.ts';
export type { RetainAuditOptions } from './audit/retain-audit.ts';
export { verifyAudit } from './audit/verify-audit.ts';
export type { AuditAnchor, AuditChecks, AuditVerdict, VerifyAuditOptions } from './audit/verify-audit.ts';

// Runs, settings, metrics, tokens.
export { findOrCreateRun, findRun, listRuns } from './runs/find-or-create-run.ts';
export type { RunNameOptions, RunRecord } from './runs/find-or-create-run.ts';
export { readSettings, writeSettings } from './settings/settings.ts';
export type { Setting, SettingsScope } from './settings/settings.ts';
export { listMetricSeries, readMetricSeries, recordMetricPoints } from './metrics/metric-points.ts';
export type { MetricPoint, MetricScope, MetricSeriesOptions } from './metrics/metric-points.ts';
export { createToken } from './tokens/create-token.ts';
export type { CreatedToken, CreateTokenOptions } from './tokens/create-token.ts';
export { findToken } from './tokens/find-token.ts';
export { countTokens, listTokens } from './tokens/list-tokens.ts';
export { rotateToken } from './tokens/rotate-token.ts';
export type { RotateTokenOptions } from './tokens/rotate-token.ts';
export { revokeToken } from './tokens/revoke-token.ts';
export type { RevokeTokenOptions } from './tokens/revoke-token.ts';
export { createProcessToken, endProcessTokens, renewProcessToken } from './tokens/process-tokens.ts';
export type { ProcessTokenKey } from './tokens/process-tokens.ts';
export { NOTE_USE_MS, noteTokenUse } from './tokens/note-token-use.ts';
export { TOKEN_KINDS } from './tokens/token.ts';
export type { Token, TokenKind } from './tokens/token.ts';

// The trainer's ledger.
export { openStepLedger } from './training/step-ledger.ts';
export type { StepChange, StepLedger, StepLedgerOptions, StepRecord } from './training/step-ledger.ts';
export { findSavedState } from './training/find-saved-state.ts';
export { openCheckpointList } from './training/checkpoint-list.ts';
export type { CheckpointList, CheckpointRecord } from './training/checkpoint-list.ts';
export { listRecentPolicies, readLatestPolicy, recordPolicy } from './training/policy-versions.ts';
export type { PolicyRecord, PolicyScope } from './training/policy-versions.ts';

// The queue of the trajectory API.
export { loadQueue, readQueueVersion } from './queue/load-queue.ts';
export { planQueueWrite } from './queue/write-queue.ts';
export type { QueueIdentity } from './queue/write-queue.ts';
export { createQueueChanges, createQueueStateRecord } from './queue/records.ts';
export type {
  BatchHistoryRecord,
  EnvironmentRecord,
  EventRecord,
  GroupFateRecord,
  GroupHistoryRecord,
  IdempotencyRecord,
  OpenBatchRecord,
  PostReceiptRecord,
  QueueChanges,
  QueueCounts,
  QueueSnapshot,
  QueueStateRecord,
  ReadyGroupRecord,
  RegistrationRecord,
} from './queue/records.ts';

// The library: trajectories, feedback, data sets.
export { HeldOutError, TrajectoryMissingError, TrajectoryOwnedError } from './errors/library-errors.ts';
export { recordCaptures } from './trajectories/record-captures.ts';
export type { RecordCapturesOptions } from './trajectories/record-captures.ts';
export { listTrajectories } from './trajectories/list-trajectories.ts';
export type { ListTrajectoriesOptions } from './trajectories/list-trajectories.ts';
export { TRAJECTORY_ORDERS } from './trajectories/page-cursor.ts';
export type { TrajectoryOrder } from './trajectories/page-cursor.ts';
export { readTrajectory } from './trajectories/read-trajectory.ts';
export type { StoredTrajectory } from './trajectories/read-trajectory.ts';
export { readConversation, readRequest } from './trajectories/read-conversation.ts';
export { iterateTrajectories } from './trajectories/iterate-trajectories.ts';
export type { IterateTrajectoriesOptions } from './trajectories/iterate-trajectories.ts';
export { setConsent, tagTrajectory } from './trajectories/change-trajectory.ts';
export type { TagTrajectoryOptions } from './trajectories/change-trajectory.ts';
export { forgetTrajectories } from './trajectories/forget-trajectories.ts';
export type { ForgetOptions, ForgetReport } from './trajectories/forget-trajectories.ts';
export { expireTrajectories } from './trajectories/expire-trajectories.ts';
export { writeFeedback } from './feedback/write-feedback.ts';
export type { WriteFeedbackOptions } from './feedback/write-feedback.ts';
export { withdrawFeedback } from './feedback/withdraw-feedback.ts';
export { listFeedback } from './feedback/list-feedback.ts';
export type { ListFeedbackOptions } from './feedback/list-feedback.ts';
export { createDatasetVersion } from './datasets/create-dataset-version.ts';
export type { CreateDatasetVersionOptions } from './datasets/create-dataset-version.ts';
export type { DatasetVersion } from './datasets/dataset-version.ts';
export { digestRecord } from './datasets/digest-record.ts';
export type { RecordDigests } from './datasets/digest-record.ts';
export { findDataset, listDatasets } from './datasets/find-datasets.ts';
export { findHeldOut } from './datasets/find-held-out.ts';
export { readDatasetRows } from './datasets/read-dataset-rows.ts';

// Supervision: runs as people start and stop them.
export { createTrainingRun } from './supervision/create-training-run.ts';
export type { CreateTrainingRunOptions } from './supervision/create-training-run.ts';
export { findTrainingRun, listOpenRuns, listRunProcesses, listTrainingRuns } from './supervision/find-training-runs.ts';
export type { FindTrainingRunOptions } from './supervision/find-training-runs.ts';
export { acquireRunLease } from './supervision/run-lease.ts';
export { noteRunEvent, requestRunStop, transitionRun, writeRunProcess } from './supervision/write-run.ts';
export type { RunKey, RunProcessRecord, TrainingRun } from './supervision/training-run.ts';
export { readMetricChart } from './metrics/metric-chart.ts';
export type { MetricChartOptions, MetricChartPoint, MetricChartRow } from './metrics/metric-chart.ts';
export { listMetricRows, readMetricEnds } from './metrics/metric-ends.ts';

// The registry of models, and lineage.
export { ModelMissingError, ModelOvertakenError, ModelRefusedError } from './errors/model-errors.ts';
export { LINEAGE_KINDS, LINEAGE_RELATIONS } from './lineage/lineage-arrow.ts';
export type { LineageArrow, LineageKind, LineageNode, LineageRelation } from './lineage/lineage-arrow.ts';
export { recordLineage } from './lineage/record-lineage.ts';
export type { RecordLineageOptions } from './lineage/record-lineage.ts';
export { traceBack, traceForward } from './lineage/trace.ts';
export type { Trace, TracedNode, TraceOptions } from './lineage/trace.ts';
export { findModel, findModelsById, listModels } from './models/find-models.ts';
export { modelEventsOf } from './models/model-events.ts';
export { MODEL_METHODS } from './models/model-version.ts';
export type {
  JsonObject,
  ModelDataset,
  ModelEvaluation,
  ModelMethod,
  ModelPromotion,
  ModelVersion,
} from './models/model-version.ts';
export {
  findPromoted,
  listPromotions,
  promoteModel,
  readLastPromotion,
  rollbackModel,
} from './models/promote-model.ts';
export type { PromotedModel, PromoteModelOptions } from './models/promote-model.ts';
export { recordModelEvaluation } from './models/record-model-evaluation.ts';
export { registerModel } from './models/register-model.ts';
export type { RegisterModelOptions } from './models/register-model.ts';

// Improvements of models.
export { findImprovement, listImprovements } from './improvements/find-improvements.ts';
export { acquireImprovement, advanceImprovement, releaseImprovement } from './improvements/hold-improvement.ts';
export type { AdvanceImprovementOptions } from './improvements/hold-improvement.ts';
export type { Improvement, ImprovementStage } from './improvements/improvement.ts';
export { startImprovement } from './improvements/start-improvement.ts';

// Work: jobs of many items, leased one by one.
export { WORK_STATES } from './schema/work.ts';
export type { WorkState } from './schema/work.ts';
export {
  adoptWork,
  forgetWorkJob,
  pauseRequests,
  readRequestPause,
  reserveRequests,
  retryFailedWork,
} from './work/change-work.ts';
export { acquireWork, releaseGoneWork, renewWork } from './work/lease-work.ts';
export type { WorkLease } from './work/lease-work.ts';
export { changeWorkSettings, createWorkJob, digestInputs, extendWorkJob } from './work/create-work-job.ts';
export { countWork, findWorkJob, findWorkWait, iterateWork, listWorkStates, readWorkTurns } from './work/read-work.ts';
export type { IterateWorkOptions } from './work/read-work.ts';
export type { LeasedWork, WorkCounts, WorkItem, WorkJob, WorkPlace } from './work/work-job.ts';
export { failWork, finishWork, recordWorkTurn, releaseWork } from './work/write-work.ts';
export type { FailWorkOptions, HeldWork } from './work/write-work.ts';
