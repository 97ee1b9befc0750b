import type { AgentTool, ToolArguments, ToolContext } from '../agent-tool.ts';

/** A tool as the AI SDK has it, without its package: `inputSchema` is what `jsonSchema` of the AI SDK takes. */
export interface AiSdkAgentTool {
  readonly description: string;
  readonly inputSchema: unknown;
  execute(args: ToolArguments, options: { toolCallId: string; abortSignal?: AbortSignal }): Promise<unknown>;
}

/** The same tools for `generateText` and `streamText`: `toAiSdkAgentTools(tools, { jsonSchema, sandbox })`. */
export function toAiSdkAgentTools(
  tools: readonly AgentTool[],
  { jsonSchema, sandbox }: { jsonSchema: (schema: never) => unknown; sandbox?: ToolContext['sandbox'] },
): Record<string, AiSdkAgentTool> {
  return Object.fromEntries(
    tools.map(({ name, description, parameters, execute }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(parameters as never),
        execute: (args, { toolCallId, abortSignal }) =>
          execute(args, {
            callId: toolCallId,
            signal: abortSignal ?? new AbortController().signal,
            ...(sandbox === undefined ? {} : { sandbox }),
          }),
      } satisfies AiSdkAgentTool,
    ]),
  );
}
