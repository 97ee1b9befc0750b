import type { AgentTool, ToolArguments, ToolContext } from '../agent-tool.ts';
import { readToolReply } from '../tool-reply.ts';
import { createToolRun } from '../tool-run.ts';

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
  // The AI SDK does not say when its loop ends; what the tools remember goes with them.
  const run = createToolRun();
  return Object.fromEntries(
    tools.map(({ name, description, parameters, execute }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(parameters as never),
        execute: async (args, { toolCallId, abortSignal }) => {
          const given = await execute(args, {
            run,
            callId: toolCallId,
            signal: abortSignal ?? new AbortController().signal,
            ...(sandbox === undefined ? {} : { sandbox }),
          });
          return readToolReply(given).result;
        },
      } satisfies AiSdkAgentTool,
    ]),
  );
}
