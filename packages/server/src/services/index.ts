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
export { createLocalLibrary } from './library/local-library.ts';
export { drainOutboxes } from './library/drain-outboxes.ts';
export type { IngestParts } from './library/ingest-records.ts';
