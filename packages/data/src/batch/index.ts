/* The public surface of @lachesis/data/batch: prompts in, conversations out, in bulk. */

// The runner.
export { runBatch, workOnBatch } from './run-batch.ts';
export type { AgentParts, BatchOutcome, RunBatchOptions, WorkOptions } from './run-batch.ts';
export type { WorkEvent } from './run-workers.ts';
export { BatchError } from './batch-error.ts';
export type { BatchErrorKind, BatchErrorOptions } from './batch-error.ts';
export {
  BATCH_SANDBOXES,
  batchSettingsSchema,
  PROVIDER_SORTS,
  REASONING_EFFORTS,
  toSampling,
} from './batch-settings.ts';
export type { BatchSettings, BatchSettingsInput } from './batch-settings.ts';
export { readPrompts } from './read-prompts.ts';
export type { PromptsRead } from './read-prompts.ts';

// Agents.
export type { BatchAgent, BatchAnswer, BatchInput, BatchTask, BatchTurn } from './batch-agent.ts';
export { askPatiently } from './agents/ask-patiently.ts';
export type { AskPatientlyOptions } from './agents/ask-patiently.ts';
export { createCommandAgent } from './agents/create-command-agent.ts';
export type { CommandAgentOptions } from './agents/create-command-agent.ts';
export { createHttpAgent } from './agents/create-http-agent.ts';
export type { HttpAgentOptions } from './agents/create-http-agent.ts';
export { createLoopAgent } from './agents/create-loop-agent.ts';
export type { LoopAgentOptions } from './agents/create-loop-agent.ts';
export type { CostMeter } from './cost-meter.ts';
export type { RequestGate } from './request-gate.ts';
export { readHolderNames } from './holder-name.ts';
export type { HolderNames } from './holder-name.ts';

// What came out.
export type { BatchStatistics, ToolStatistics } from './statistics/collect-statistics.ts';
export type { Spread } from './statistics/spread.ts';
