/* The public surface of @lachesis/sdk/agent: a plain loop of model and tools. */

// The loop.
export { runAgent } from './run-agent.ts';
export type { RunAgentOptions } from './run-agent.ts';
export type { AgentResult } from './agent-result.ts';
export type { AgentEvent } from './agent-event.ts';

// Tools by contract.
export { defineTool } from './define-tool.ts';
export { toOfferedTool } from './agent-tool.ts';
export type { AgentTool, ToolArguments } from './agent-tool.ts';
export { toAgentTools } from './to-agent-tools.ts';
export { ToolError } from './tool-error.ts';
export { replyWithImages } from './tool-reply.ts';
export { createToolRun } from './tool-run.ts';

// Models.
export { createChatModel, listModels } from './create-chat-model.ts';
export type { AgentModel, ModelReply } from './agent-model.ts';

// Tools that work in a sandbox, on the web, or on an MCP server.
export { createBrowserTools } from './tools/browser/create-browser-tools.ts';
export { createMcpTools } from './tools/create-mcp-tools.ts';
export { createWebTools } from './tools/web/create-web-tools.ts';
export { SANDBOX_TOOLSETS } from './tools/sandbox-toolsets.ts';
export { toAiSdkAgentTools } from './tools/to-ai-sdk-agent-tools.ts';

// Toolsets by name, and distributions from which they are drawn.
export { chooseToolsets } from './toolsets/choose-toolsets.ts';
export { drawToolsets, listDistribution } from './toolsets/draw-toolsets.ts';
export { describeMissing, openToolsets } from './toolsets/open-toolsets.ts';
export { readToolsSettings, useToolsFile } from './toolsets/tools-settings.ts';
export { TOOLSET_DISTRIBUTIONS } from './toolsets/toolset-distributions.ts';
export { ToolsetError } from './toolsets/toolset-error.ts';
