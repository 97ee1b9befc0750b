import type { AuditHeadsTable, AuditLinesTable, EventsTable } from './history.ts';
import type {
  BatchesTable,
  EnvironmentsTable,
  GroupFatesTable,
  GroupsTable,
  IdempotencyKeysTable,
  OpenBatchesTable,
  PostReceiptsTable,
  ReadyGroupsTable,
  RunIncarnationsTable,
  RunsTable,
} from './queue.ts';
import type {
  BlobReferencesTable,
  ColdFilesTable,
  LeasesTable,
  LibraryTable,
  LineageTable,
  MigrationsTable,
  SettingsTable,
  TokensTable,
} from './platform.ts';
import type {
  CaptureRecordsTable,
  CaptureStreamsTable,
  DatasetChunksTable,
  DatasetRowsTable,
  DatasetVersionsTable,
  FeedbackTable,
  ForgottenTable,
  HeldOutDigestsTable,
  ToolCallsTable,
  TrajectoriesTable,
  TrajectoryTagsTable,
  TurnNamesTable,
  TurnRepliesTable,
  TurnsTable,
  WaitingFeedbackTable,
} from './library.ts';
import type {
  CheckpointsTable,
  ItemRatesTable,
  MetricBlocksTable,
  MetricPointsTable,
  PolicyVersionsTable,
  RunProcessesTable,
  StepRolloutsTable,
  StepsTable,
  TrainingRunsTable,
} from './training.ts';
import type {
  ImprovementStagesTable,
  ImprovementsTable,
  ModelEvaluationsTable,
  ModelPromotionsTable,
  ModelVersionsTable,
} from './models.ts';
import type { WorkItemsTable, WorkJobsTable, WorkTurnsTable } from './work.ts';

/**
 * All tables, the same on SQLite and PostgreSQL. Times are integer milliseconds of the database's clock, booleans are
 * 0 and 1, JSON is text, ids are UUIDv7 text, whole numbers come back as JavaScript numbers.
 */
export interface Database {
  audit_heads: AuditHeadsTable;
  audit_lines: AuditLinesTable;
  batches: BatchesTable;
  blob_references: BlobReferencesTable;
  capture_records: CaptureRecordsTable;
  capture_streams: CaptureStreamsTable;
  checkpoints: CheckpointsTable;
  cold_files: ColdFilesTable;
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
  item_rates: ItemRatesTable;
  leases: LeasesTable;
  library: LibraryTable;
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
  settings: SettingsTable;
  step_rollouts: StepRolloutsTable;
  steps: StepsTable;
  tokens: TokensTable;
  tool_calls: ToolCallsTable;
  training_runs: TrainingRunsTable;
  trajectories: TrajectoriesTable;
  trajectory_tags: TrajectoryTagsTable;
  turn_names: TurnNamesTable;
  turn_replies: TurnRepliesTable;
  turns: TurnsTable;
  waiting_feedback: WaitingFeedbackTable;
  work_items: WorkItemsTable;
  work_jobs: WorkJobsTable;
  work_turns: WorkTurnsTable;
}
