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
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { FurtherTool } from './further-tool.ts';
import { reportProgress } from './report-progress.ts';

export interface AddToolsOptions {
  server: McpServer;
  tools: RlTools;
  /** Listed behind the ten. */
  others: readonly FurtherTool[];
  tickMs: number;
}

/**
 * Lists and calls the tools. They check their own arguments, so that a model reads the same sentence here as from the
 * plain functions; the helper of the SDK would answer before them.
 */
export function addTools({ server, tools, others, tickMs }: AddToolsOptions): void {
  const listed = [...RL_TOOL_NAMES.map((name) => describeTool(tools[name])), ...others.map((other) => other.listed)];
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    const other = others.find((each) => each.listed.name === params.name);
    if (other !== undefined) return reply(await other.run(params.arguments ?? {}, signal));
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
      return reply(answer);
    } finally {
      await reporter?.end();
    }
  });
}

const reply = ({ isFailure, value }: { isFailure: boolean; value: object }): CallToolResult => {
  const content = [{ type: 'text' as const, text: JSON.stringify(value, null, 2) }];
  return isFailure ? { content, isError: true } : { content, structuredContent: { ...value } };
};

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
