/* The public surface of @lachesis/sdk/agent: a plain loop of model and tools. */

// The loop.
export { runAgent } from './run-agent.ts';
export type { RunAgentOptions } from './run-agent.ts';
export { DEFAULT_AGENT_LIMITS } from './agent-limits.ts';
export type { AgentLimits, GivenLimits } from './agent-limits.ts';
export type { AgentEndReason, AgentRecorder, AgentResult } from './agent-result.ts';
export type { AgentEvent, ApprovalQuestion, Approve, ToolCall } from './agent-event.ts';

// Tools by contract.
export { defineTool } from './define-tool.ts';
export type { DefineToolOptions } from './define-tool.ts';
export { toOfferedTool } from './agent-tool.ts';
export type { AgentTool, ToolArguments, ToolContext, ToolRisk } from './agent-tool.ts';
export { toAgentTools } from './to-agent-tools.ts';
export { ToolError } from './tool-error.ts';

// Models.
export { createChatModel, listModels } from './create-chat-model.ts';
export type { ChatModelOptions, ModelServerOptions } from './create-chat-model.ts';
export type { AgentModel, ModelQuestion, ModelReply, TokenUsage } from './agent-model.ts';
