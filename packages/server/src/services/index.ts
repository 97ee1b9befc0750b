/**
 * What the product does, without HTTP and without a terminal: routes and commands call the same functions. Every export is
 * for them; what is not here is ours to change.
 */

// Models, their improvements, and lineage.
export { listModelImprovements } from './models/improvements.ts';
export { readLineage } from './models/lineage.ts';
export { listRegisteredModels, promoteRegisteredModel, rollBackModel, showModel } from './models/models.ts';
export type { ModelScope } from './models/models.ts';

// The library: how records, rows and feedback enter it.
export { addFeedback } from './library/add-feedback.ts';
export { checkDataset, importDataset, listHeldOut, makeLibraryDataset, openExport } from './library/datasets.ts';
export { findTrajectoryId } from './library/find-by-beginning.ts';
export { listNamedFeedback, withdrawNamedFeedback } from './library/named-feedback.ts';
export { readNamedTrajectory } from './library/read-named-trajectory.ts';
export { readAgreement } from './library/read-agreement.ts';
export { drainOutboxes } from './library/drain-outboxes.ts';
export { ingestRecords } from './library/ingest-records.ts';
export type { IngestParts } from './library/ingest-records.ts';
export { redactRow } from './library/redact-row.ts';
