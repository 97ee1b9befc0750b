import { RL_TOOL_NAMES } from '@lachesis/protocol';
import {
  callRlTool,
  describeRlToolInput,
  describeRlToolOutput,
  type RlTool,
  type RlToolProgress,
  type RlTools,
} from '@lachesis/sdk';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { reportProgress } from './report-progress.ts';

/**
 * Lists and calls the tools. They check their own arguments, so that a model reads the same sentence here as from the
 * plain functions; the helper of the SDK would answer before them.
 */
export function addTools({ server, tools, tickMs }: { server: McpServer; tools: RlTools; tickMs: number }): void {
  const listed = RL_TOOL_NAMES.map((name) => describeTool(tools[name]));
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    const token = _meta?.progressToken;
    const reporter =
      token === undefined
        ? undefined
        : reportProgress({
            name: params.name,
            tickMs,
            send: (progress) =>
              sendNotification({
                method: 'notifications/progress',
                params: { progressToken: token, ...progress },
              }),
          });
    const onProgress = reporter === undefined ? {} : { onProgress: (at: RlToolProgress) => reporter.report(at) };
    try {
      const call = { name: params.name, input: params.arguments ?? {} };
      const answer = await callRlTool(tools, call, { signal, ...onProgress });
      const content = [{ type: 'text' as const, text: answer.text }];
      return answer.isFailure ? { content, isError: true } : { content, structuredContent: { ...answer.value } };
    } finally {
      await reporter?.end();
    }
  });
}

function describeTool(tool: RlTool): Tool {
  const { isReadOnly, isDestructive, isIdempotent, isCostly } = tool.effects;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...describeRlToolInput(tool), type: 'object' },
    outputSchema: { ...describeRlToolOutput(tool), type: 'object' },
    annotations: {
      title: tool.title,
      readOnlyHint: isReadOnly,
      destructiveHint: isDestructive,
      idempotentHint: isIdempotent,
      // Engines and models are outside of the control server.
      openWorldHint: isCostly,
    },
  };
}
