/* The public surface of @lachesis/sdk/capture. It needs Node: records wait on disk until they are in the store. */

// The outbox.
export { drainOutbox } from './outbox/drain-outbox.ts';
export type { DrainOptions, DrainReport } from './outbox/drain-outbox.ts';
export { openOutbox } from './outbox/open-outbox.ts';
export type { Outbox, OutboxOptions } from './outbox/open-outbox.ts';
export { openOutboxFolder } from './outbox/open-outbox-folder.ts';
export type { OutboxFolder, OutboxFolderOptions, OutboxSegment, SegmentPiece } from './outbox/open-outbox-folder.ts';
export { OutboxError } from './outbox/outbox-error.ts';

// Recorders: one line for a client, a middleware, and a plain call for everything else.
export { recordingMiddleware } from './ai-sdk/recording-middleware.ts';
export type { RecordingMiddleware } from './ai-sdk/recording-middleware.ts';
export { recordFetch } from './openai/record-fetch.ts';
export { recordOpenAI } from './openai/record-openai.ts';
export { recordTrajectory } from './record-trajectory.ts';
export type { RecordTrajectoryOptions } from './record-trajectory.ts';
export { createRecorder } from './recorder/create-recorder.ts';
export type { Recorder, RecorderOptions } from './recorder/create-recorder.ts';
export type { RecordOptions } from './recorder/default-recorder.ts';
export { flushBeforeFreeze } from './recorder/open-recorders.ts';
export type { CallDraft, RecordDraft, RecordLabels } from './recorder/record-draft.ts';
export { RecorderError } from './recorder/recorder-error.ts';
export { inTrajectory } from './recorder/trajectory-scope.ts';
