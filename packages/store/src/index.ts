/*
 * The public surface of @lachesis/store. Every export is named here; a name added here is a promise to everybody who
 * installs the package, and one that is not here may change at any time.
 */

// The database.
export { openStore } from './database/open-store.ts';
export type { Store } from './database/store.ts';

// The schema.
export { allMigrations } from './migrations/all-migrations.ts';

// Errors.
export { DatabaseUrlError } from './errors/database-url-error.ts';
export { StaleWriteError } from './errors/stale-write-error.ts';
export { StoreClosedError } from './errors/store-closed-error.ts';
export { StoreConflictError } from './errors/store-conflict-error.ts';
export { StoreTimeoutError } from './errors/store-timeout-error.ts';
export { StoreUnavailableError } from './errors/store-unavailable-error.ts';

// Blobs.
export type { BlobStore, CollectableBlobs, LibraryBlobs } from './blobs/blob-store.ts';
export { addBlobReference } from './blobs/blob-references.ts';

// A home: a database and the payloads that belong to it.
export { checkBackup } from './home/backup/check-backup.ts';
export { createBackup } from './home/backup/create-backup.ts';
export { restoreBackup } from './home/backup/restore-backup.ts';
export { verifyLibrary } from './home/backup/verify-library.ts';
export { collectHomeOrphans, collectHomeUnreferenced, openHome } from './home/open-home.ts';
export { listOutboxes } from './home/outboxes.ts';
export type { Home } from './home/open-home.ts';
export { claimLibrary } from './home/claim-library.ts';
export { StrangeBlobsError } from './errors/home-errors.ts';

// Leases: who alone may write about a thing.
export { LeaseLostError } from './errors/lease-lost-error.ts';
export { acquireLease, releaseLease, renewLease } from './leases/acquire-lease.ts';
export { listLeases, tidyLeases } from './leases/list-leases.ts';
export { fence } from './leases/fence.ts';
export { holdLease, autoRenew } from './leases/hold-lease.ts';
export type { Lease } from './leases/lease.ts';

// Events.
export type { JsonValue } from './events/canonical-json.ts';
export { chainEvent } from './events/chain-event.ts';
export { readEventPage } from './events/read-event-page.ts';
export { verifyChain } from './events/verify-chain.ts';

// The audit log.
export { appendAudit } from './audit/append-audit.ts';
export { moveAuditAnchor, readAuditAnchor } from './audit/audit-anchor.ts';
export { openAuditKey, readAuditPublicKey } from './audit/audit-key.ts';
export type { AuditKey, AuditPublicKey } from './audit/audit-key.ts';
export type { AuditEntry } from './audit/audit-line.ts';
export { exportAudit, toAuditAnchor, verifyAuditExport } from './audit/export-audit.ts';
export { listAudit } from './audit/read-audit.ts';
export { retainAudit } from './audit/retain-audit.ts';
export { verifyAudit } from './audit/verify-audit.ts';

// Runs, settings, metrics, tokens.
export { findOrCreateRun, findRun } from './runs/find-or-create-run.ts';
export { readSettings, writeSettings } from './settings/settings.ts';
export { readMetricSeries, recordMetricPoints } from './metrics/metric-points.ts';
export type { MetricPoint, MetricScope } from './metrics/metric-blocks.ts';
export { createToken } from './tokens/create-token.ts';
export { findToken, findTokens } from './tokens/find-token.ts';
export { countTokens, listTokens } from './tokens/list-tokens.ts';
export { rotateToken } from './tokens/rotate-token.ts';
export { revokeToken } from './tokens/revoke-token.ts';
export { createSessionCode, openSession, renewSession } from './tokens/sessions.ts';
export { createProcessToken, endProcessTokens, renewProcessToken } from './tokens/process-tokens.ts';
export { NOTE_USE_MS, noteTokenUse } from './tokens/note-token-use.ts';

// The trainer's ledger.
export { openStepLedger } from './training/step-ledger.ts';
export type { StepLedger, StepRecord } from './training/step-ledger.ts';
export { findSavedState } from './training/find-saved-state.ts';
export { listSavedStates } from './training/list-saved-states.ts';
export { openCheckpointList } from './training/checkpoint-list.ts';
export type { CheckpointList } from './training/checkpoint-list.ts';
export { listRecentPolicies, readLatestPolicy, recordPolicy } from './training/policy-versions.ts';

// The rollouts of a run, by step.
export { listItemRates, recordItemRates } from './rollouts/item-rates.ts';
export { dropStepRollouts } from './rollouts/drop-step-rollouts.ts';
export { KEPT_KINDS, listKeepPolicies, writeKeepPolicy, type KeepPolicy } from './retention/keep-policies.ts';
export { retain, type RetentionReport } from './retention/retain.ts';
export { layOutFiles } from './cold/lay-out-files.ts';
export { listBatchGroupIds, listStoredSteps, recordStepRollouts } from './rollouts/step-rollouts.ts';
export type { StepRollouts } from './rollouts/step-rollouts.ts';
export {
  findGroup,
  findNewestIncarnation,
  findStep,
  listBatchGroups,
  listSteps,
} from './rollouts/find-step-rollouts.ts';
export type { FoundGroup, FoundStep } from './rollouts/find-step-rollouts.ts';

// The queue of the trajectory API.
export { loadQueue, readQueueVersion } from './queue/load-queue.ts';
export { planQueueWrite } from './queue/write-queue.ts';
export { createQueueChanges, createQueueStateRecord } from './queue/records.ts';
export type { EnvironmentRecord, QueueChanges, QueueSnapshot, ReadyGroupRecord } from './queue/records.ts';

// The library: trajectories, feedback, data sets.
export { HeldOutError, TrajectoryMissingError, TrajectoryOwnedError } from './errors/library-errors.ts';
export { recordCaptures } from './trajectories/captures/record-captures.ts';
export { countRecorded } from './trajectories/count-recorded.ts';
export { sumCosts } from './trajectories/sum-costs.ts';
export { countTrajectories } from './trajectories/count-trajectories.ts';
export { findPages } from './trajectories/find-pages.ts';
export { listTrajectories } from './trajectories/list-trajectories.ts';
export { TRAJECTORY_ORDERS } from './trajectories/page-cursor.ts';
export { readTrajectory } from './trajectories/read-trajectory.ts';
export { readRequest } from './trajectories/read-conversation.ts';
export { iterateTrajectories } from './trajectories/iterate-trajectories.ts';
export { setConsent, tagTrajectory } from './trajectories/change-trajectory.ts';
export { forgetTrajectories } from './trajectories/forget-trajectories.ts';
export { expireTrajectories } from './trajectories/expire-trajectories.ts';
export { writeFeedback } from './feedback/write-feedback.ts';
export { withdrawFeedback } from './feedback/withdraw-feedback.ts';
export { listFeedback } from './feedback/list-feedback.ts';
export { attachWaiting, dropStaleFeedback, keepWaiting, listWaiting } from './feedback/waiting-feedback.ts';
export { findReply } from './trajectories/find-reply.ts';
export { createDatasetVersion } from './datasets/create-dataset-version.ts';
export { deleteDataset } from './datasets/delete-dataset.ts';
export { digestRecord } from './datasets/digest-record.ts';
export { findDataset, listDatasets } from './datasets/find-datasets.ts';
export { findHeldOut } from './datasets/find-held-out.ts';
export { readDatasetRows } from './datasets/read-dataset-rows.ts';

// Supervision: runs as people start and stop them.
export { createTrainingRun } from './supervision/create-training-run.ts';
export { reopenTrainingRun } from './supervision/reopen-training-run.ts';
export { findTrainingRun, listOpenRuns, listRunProcesses, listTrainingRuns } from './supervision/find-training-runs.ts';
export { acquireRunLease } from './supervision/run-lease.ts';
export { noteRunEvent, requestRunStop, transitionRun, writeRunProcess } from './supervision/write-run.ts';
export type { RunProcessRecord, TrainingRun } from './supervision/training-run.ts';
export { readMetricChart } from './metrics/metric-chart.ts';
export { readMetricExtremes } from './metrics/metric-extremes.ts';
export type { MetricChartPoint } from './metrics/metric-chart.ts';
export { listMetricRows, readMetricEnds } from './metrics/metric-ends.ts';

// The registry of models, and lineage.
export { ModelMissingError, ModelOvertakenError, ModelRefusedError } from './errors/model-errors.ts';
export { recordLineage } from './lineage/record-lineage.ts';
export { traceBack, traceForward } from './lineage/trace.ts';
export type { Trace } from './lineage/trace.ts';
export { findModel, findModelByPath, listModels } from './models/find-models.ts';
export type { JsonObject, ModelVersion } from './models/model-version.ts';
export {
  findPromoted,
  listPromotions,
  promoteModel,
  readLastPromotion,
  rollbackModel,
} from './models/promote-model.ts';
export { recordModelEvaluation } from './models/record-model-evaluation.ts';
export { registerModel } from './models/register-model.ts';

// Improvements of models.
export { findImprovement, listImprovements, listServedImprovements } from './improvements/find-improvements.ts';
export {
  acquireImprovement,
  advanceImprovement,
  changeImprovementRunner,
  endImprovement,
  noteImprovementProgress,
  releaseImprovement,
} from './improvements/hold-improvement.ts';
export type { Improvement } from './improvements/improvement.ts';
export { startImprovement } from './improvements/start-improvement.ts';

// Work: jobs of many items, leased one by one.
export { listWorkFailures, listWorkJobs } from './work/list-work-jobs.ts';
export { openWork } from './work/open-work.ts';
export type { WorkCounts, WorkItem, JobRef } from './work/work-job.ts';
