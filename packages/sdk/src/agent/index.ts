/* The public surface of @lachesis/sdk/agent: a plain loop of model and tools. */

// The loop.
export { runAgent } from './run-agent.ts';
export type { RunAgentOptions } from './run-agent.ts';
export { DEFAULT_AGENT_LIMITS } from './agent-limits.ts';
export type { AgentLimits, GivenLimits } from './agent-limits.ts';
export type { AgentEndReason, AgentRecorder, AgentResult } from './agent-result.ts';
export type { AgentEvent, ApprovalQuestion, Approve, ToolInvocation } from './agent-event.ts';

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

// Tools that work in a sandbox, on the web, or on an MCP server.
export { createMcpTools } from './tools/create-mcp-tools.ts';
export type { McpClient, McpToolsOptions } from './tools/create-mcp-tools.ts';
export { createWebTools } from './tools/create-web-tools.ts';
export type { WebProvider, WebSearchHit } from './tools/create-web-tools.ts';
export { executeCodeTool } from './tools/execute-code-tool.ts';
export { patchTool, readFileTool, writeFileTool } from './tools/file-tools.ts';
export { processTool } from './tools/process-tool.ts';
export { SANDBOX_TOOLSETS } from './tools/sandbox-toolsets.ts';
export { searchFilesTool } from './tools/search-files-tool.ts';
export { terminalTool } from './tools/terminal-tool.ts';
export { toAiSdkAgentTools } from './tools/to-ai-sdk-agent-tools.ts';
export type { AiSdkAgentTool } from './tools/to-ai-sdk-agent-tools.ts';

// Toolsets by name, and distributions from which they are drawn.
export { chooseToolsets } from './toolsets/choose-toolsets.ts';
export type { ChooseToolsetsOptions, ChosenToolsets } from './toolsets/choose-toolsets.ts';
export { drawToolsets } from './toolsets/draw-toolsets.ts';
export type { DrawToolsetsOptions } from './toolsets/draw-toolsets.ts';
export { sortIntoToolsets, STANDARD_TOOLSETS } from './toolsets/standard-toolsets.ts';
export { TOOLSET_DISTRIBUTIONS } from './toolsets/toolset-distributions.ts';
export type { ToolsetDistribution } from './toolsets/toolset-distributions.ts';
export { ToolsetError } from './toolsets/toolset-error.ts';
export type { ToolsetErrorOptions } from './toolsets/toolset-error.ts';
