/*
 * The public surface of @lachesis/data. Every export is named here; a name added here is a promise to everybody who
 * installs the package, and one that is not here may change at any time.
 */

// The registry of formats.
export { EXPORT_FORMATS, guessFormat, IMPORT_FORMATS, readFormat } from './formats.ts';

// Records, the text formats and their readers.
export { createDropReport } from './records/drop-report.ts';
export type { DroppedField } from './records/drop-report.ts';
export type { ReadProblem, ReadResult, Repair } from './records/read-result.ts';
export { toDataRecords } from './records/to-data-records.ts';
export { toPreferenceRecords } from './records/to-preference-records.ts';
export { writeJsonl } from './export/jsonl/write-jsonl.ts';
export { writeOpenAi } from './export/openai/write-openai.ts';
export { writeShareGpt } from './export/sharegpt/write-sharegpt.ts';
export { writeTrl } from './export/trl/write-trl.ts';
export { readHermesDatabase } from './import/hermes-sessions/read-hermes-database.ts';
export { readHermesSessions } from './import/hermes-sessions/read-hermes-sessions.ts';
export { readShareGpt } from './import/sharegpt/read-sharegpt.ts';

// Rollouts of a run as rows.
export { pairEnds } from './rollouts/pair-ends.ts';
export { pickBest } from './rollouts/pick-best.ts';
export type { RolledOutGroup } from './rollouts/rolled-out-group.ts';

// Parquet, the hub, hand-offs, data sets and the trainability report.
export { writeParquet } from './export/parquet/write-parquet.ts';
export { writeHubFolder } from './export/hub/write-hub-folder.ts';
export { writePieces } from './export/write-pieces.ts';
export { HANDOFF_TRAINERS, writeHandoff } from './export/handoff/write-handoff.ts';
export { applyTransforms } from './datasets/apply-transforms.ts';
export { EmptyDatasetError } from './datasets/empty-dataset-error.ts';
export { gateRecords } from './datasets/gate-records.ts';
export { makeDataset } from './datasets/make-dataset.ts';
export { toCaptureRecords } from './records/to-capture-records.ts';
export { readLibrary } from './datasets/read-library.ts';
export type { TransformInput } from './datasets/transform.ts';
export { checkRecords } from './check/check-records.ts';
export { listToolParts } from './check/list-tool-parts.ts';

// Compression: rows that fit a training context.
export { analyzeFiles } from './compress/analyze-files.ts';
export { compressFiles } from './compress/compress-files.ts';
export type { CompressFilesOptions } from './compress/compress-files.ts';
export { CompressionError } from './compress/compression-error.ts';
export { COMPRESSION_DEFAULTS } from './compress/settings/compression-settings.ts';
export type { CompressionSettings } from './compress/settings/compression-settings.ts';
export { readCompressionSettings } from './compress/settings/read-compression-settings.ts';
export { createExtractiveSummarizer } from './compress/summarize/create-extractive-summarizer.ts';
export { createModelSummarizer } from './compress/summarize/create-model-summarizer.ts';
export type { Summarizer } from './compress/summarize/summary.ts';
export { loadTokenCounter } from './compress/tokens/load-token-counter.ts';
export { createCharacterCounter } from './compress/tokens/token-counter.ts';
export type { TokenCounter } from './compress/tokens/token-counter.ts';
