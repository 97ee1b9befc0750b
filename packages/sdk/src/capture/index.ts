/* The public surface of @lachesis/sdk/capture. It needs Node: records wait on disk until they are in the store. */

// The outbox.
export { drainOutbox } from './outbox/drain-outbox.ts';
export type { DrainReport } from './outbox/drain-outbox.ts';
export { openOutbox } from './outbox/open-outbox.ts';
export { openOutboxFolder } from './outbox/open-outbox-folder.ts';
export { OutboxError } from './outbox/outbox-error.ts';

// What a call asked and what was answered, read from any server. For recorders of one's own.
export { EMPTY_REPLY } from './calls/collected-reply.ts';
export type { CallEndpoint, CallError, CallOutcome, CollectedReply } from './calls/collected-reply.ts';
export { MAX_ERROR_MESSAGE } from './calls/describe-error.ts';
export { createReplyCollector } from './calls/create-reply-collector.ts';
export { readCallRequest } from './calls/read-call-request.ts';
export { toCallFacts } from './calls/to-call-facts.ts';
export { toReplyMessage } from './calls/to-reply-message.ts';

// Recorders: one line for a client, a middleware, and a plain call for everything else.
export { recordingMiddleware } from './ai-sdk/recording-middleware.ts';
export { recordFetch } from './openai/record-fetch.ts';
export { recordOpenAI } from './openai/record-openai.ts';
export { recordTrajectory } from './record-trajectory.ts';
export { createRecorder } from './recorder/create-recorder.ts';
export type { Recorder } from './recorder/create-recorder.ts';
export { lachesisIdOf } from './recorder/lachesis-id.ts';
export { flushBeforeFreeze } from './recorder/open-recorders.ts';
export { RecorderError } from './recorder/recorder-error.ts';
export { inTrajectory } from './recorder/trajectory-scope.ts';
