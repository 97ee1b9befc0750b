/**
 * What the product does, without HTTP and without a terminal: routes and commands call the same functions. Every export is
 * for them; what is not here is ours to change.
 */

// Models, their improvements, and lineage.
export { fetchAdapter } from './models/fetch-adapter.ts';
export { needBeginning, needState } from './models/find-start.ts';
export { createLocalModels } from './models/create-local-models.ts';
export { findInterrupted, showImprovement, stopImprovement } from './improve/improvements.ts';

// The library: how records, rows and feedback enter it.
export { createLocalLibrary } from './library/local-library.ts';
export { drainOutboxes } from './library/drain-outboxes.ts';
export type { IngestParts } from './library/ingest-records.ts';
