import type { AttemptsTable } from './attempts.ts';
import type { BatchesTable, OpenBatchesTable } from './batches.ts';
import type { BlobReferencesTable } from './blob-references.ts';
import type { CaptureRecordsTable, CaptureStreamsTable, ForgottenTable } from './captures.ts';
import type { CheckpointsTable } from './checkpoints.ts';
import type { DatasetChunksTable, DatasetRowsTable, DatasetVersionsTable, HeldOutDigestsTable } from './datasets.ts';
import type { EnvironmentsTable } from './environments.ts';
import type { EventsTable } from './events.ts';
import type { FeedbackTable } from './feedback.ts';
import type { GroupFatesTable, GroupsTable, ReadyGroupsTable } from './groups.ts';
import type { IdempotencyKeysTable } from './idempotency-keys.ts';
import type { ImprovementsTable, ImprovementStagesTable } from './improvements.ts';
import type { LineageTable } from './lineage.ts';
import type { MetricBlocksTable } from './metric-blocks.ts';
import type { MetricPointsTable } from './metric-points.ts';
import type { MigrationsTable } from './migrations.ts';
import type { ModelEvaluationsTable, ModelPromotionsTable, ModelVersionsTable } from './models.ts';
import type { PolicyVersionsTable } from './policy-versions.ts';
import type { PostReceiptsTable } from './receipts.ts';
import type { RunIncarnationsTable, RunsTable } from './runs.ts';
import type { SequencesTable } from './sequences.ts';
import type { SettingsTable } from './settings.ts';
import type { StepsTable } from './steps.ts';
import type { TokensTable } from './tokens.ts';
import type { RunProcessesTable, TrainingRunsTable } from './training-runs.ts';
import type { TrajectoriesTable } from './trajectories.ts';
import type { ToolCallsTable, TrajectoryTagsTable, TurnRepliesTable, TurnsTable } from './turns.ts';

/**
 * All tables, the same on SQLite and PostgreSQL. Times are integer milliseconds of the database's clock, booleans are
 * 0 and 1, JSON is text, ids are UUIDv7 text, whole numbers come back as JavaScript numbers.
 */
export interface Database {
  attempts: AttemptsTable;
  batches: BatchesTable;
  blob_references: BlobReferencesTable;
  capture_records: CaptureRecordsTable;
  capture_streams: CaptureStreamsTable;
  checkpoints: CheckpointsTable;
  dataset_chunks: DatasetChunksTable;
  dataset_rows: DatasetRowsTable;
  dataset_versions: DatasetVersionsTable;
  environments: EnvironmentsTable;
  events: EventsTable;
  feedback: FeedbackTable;
  forgotten: ForgottenTable;
  group_fates: GroupFatesTable;
  groups: GroupsTable;
  held_out_digests: HeldOutDigestsTable;
  idempotency_keys: IdempotencyKeysTable;
  improvement_stages: ImprovementStagesTable;
  improvements: ImprovementsTable;
  lineage: LineageTable;
  metric_blocks: MetricBlocksTable;
  metric_points: MetricPointsTable;
  migrations: MigrationsTable;
  model_evaluations: ModelEvaluationsTable;
  model_promotions: ModelPromotionsTable;
  model_versions: ModelVersionsTable;
  open_batches: OpenBatchesTable;
  policy_versions: PolicyVersionsTable;
  post_receipts: PostReceiptsTable;
  ready_groups: ReadyGroupsTable;
  run_incarnations: RunIncarnationsTable;
  run_processes: RunProcessesTable;
  runs: RunsTable;
  sequences: SequencesTable;
  settings: SettingsTable;
  steps: StepsTable;
  tokens: TokensTable;
  tool_calls: ToolCallsTable;
  training_runs: TrainingRunsTable;
  trajectories: TrajectoriesTable;
  trajectory_tags: TrajectoryTagsTable;
  turn_replies: TurnRepliesTable;
  turns: TurnsTable;
}
