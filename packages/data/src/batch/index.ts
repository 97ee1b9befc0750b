/* The public surface of @lachesis/data/batch: prompts in, conversations out, in bulk. */

// The runner.
export { runBatch, workOnBatch } from './run-batch.ts';
export type { AgentParts } from './run-batch.ts';
export { BatchError } from './batch-error.ts';
export { batchSettingsSchema, toSampling } from './batch-settings.ts';
export type { BatchSettings, BatchSettingsInput } from './batch-settings.ts';
export { readPrompts } from './read-prompts.ts';

// Agents.
export type { BatchAgent } from './batch-agent.ts';
export { askWithRetry } from './agents/ask-with-retry.ts';
export { createCommandAgent } from './agents/create-command-agent.ts';
export { createHttpAgent } from './agents/create-http-agent.ts';
export { createLoopAgent } from './agents/create-loop-agent.ts';
export { openBatchToolsets } from './agents/open-batch-toolsets.ts';

// What came out.
