import { RL_TOOL_NAMES, type ChatToolCall, type RlToolInputs, type RlToolName } from '@lachesis/protocol';
import type { RlTool, RlToolAnswer, RlToolCallOptions, RlTools } from './rl-tool.ts';

export type JsonSchema = Record<string, unknown>;

/** What a tool takes, as JSON Schema. */
export function describeRlToolInput(tool: RlTool): JsonSchema {
  return withoutDialect(tool.inputSchema.toJSONSchema({ io: 'input' }));
}

/** What a tool gives when it succeeds, as JSON Schema. */
export function describeRlToolOutput(tool: RlTool): JsonSchema {
  return withoutDialect(tool.outputSchema.toJSONSchema({ io: 'output' }));
}

/** Some servers of models refuse keys they do not know. */
function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

const isRlToolName = (name: string): name is RlToolName => RL_TOOL_NAMES.some((known) => known === name);

/** Calls a tool by the name and with the arguments that a model gave. Never rejects. */
export async function callRlTool(
  tools: RlTools,
  call: { name: string; input: unknown },
  options?: RlToolCallOptions,
): Promise<RlToolAnswer> {
  if (!isRlToolName(call.name)) {
    const value = { error: `There is no tool ${call.name}. There are ${RL_TOOL_NAMES.join(', ')}.`, code: 'not-found' };
    return { isFailure: true, value, text: JSON.stringify(value, null, 2) };
  }
  const tool: Pick<RlTool, 'run'> = tools[call.name];
  // Every tool checks what it is given.
  return tool.run(call.input as RlToolInputs[RlToolName], options);
}

export interface OpenAiTool {
  type: 'function';
  function: { name: RlToolName; description: string; parameters: JsonSchema };
}

/** For the `tools` of OpenAI's chat completions. */
export function toOpenAiTools(tools: RlTools): OpenAiTool[] {
  return RL_TOOL_NAMES.map((name) => ({
    type: 'function',
    function: { name, description: tools[name].description, parameters: describeRlToolInput(tools[name]) },
  }));
}

export interface OpenAiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** Does what a model asked for in `tool_calls`, and gives the message to send back. Never rejects. */
export async function answerOpenAiToolCall(
  tools: RlTools,
  call: ChatToolCall & { id: string },
  options?: RlToolCallOptions,
): Promise<OpenAiToolMessage> {
  const { name, arguments: text } = call.function;
  const answer = (content: string): OpenAiToolMessage => ({ role: 'tool', tool_call_id: call.id, content });
  let input: unknown;
  try {
    // Models leave the arguments of a tool without any empty.
    input = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const value = { error: `The arguments of ${name} are not JSON: ${reason}. Send one JSON object.`, code: 'invalid' };
    return answer(JSON.stringify(value, null, 2));
  }
  return answer((await callRlTool(tools, { name, input }, options)).text);
}

export interface AiSdkTool<Name extends RlToolName> {
  description: string;
  inputSchema: RlTool<Name>['inputSchema'];
  execute(input: RlToolInputs[Name], options?: { abortSignal?: AbortSignal | undefined }): Promise<string>;
}

export type AiSdkTools = { [Name in RlToolName]: AiSdkTool<Name> };

/** For the `tools` of the AI SDK's `generateText` and `streamText`. */
export function toAiSdkTools(tools: RlTools): AiSdkTools {
  const convert = <Name extends RlToolName>(tool: RlTool<Name>): AiSdkTool<Name> => ({
    description: tool.description,
    inputSchema: tool.inputSchema,
    execute: async (input, options) => (await tool.run(input, { signal: options?.abortSignal })).text,
  });
  return {
    rl_list_environments: convert(tools.rl_list_environments),
    rl_select_environment: convert(tools.rl_select_environment),
    rl_get_current_config: convert(tools.rl_get_current_config),
    rl_edit_config: convert(tools.rl_edit_config),
    rl_start_training: convert(tools.rl_start_training),
    rl_check_status: convert(tools.rl_check_status),
    rl_stop_training: convert(tools.rl_stop_training),
    rl_get_results: convert(tools.rl_get_results),
    rl_list_runs: convert(tools.rl_list_runs),
    rl_test_inference: convert(tools.rl_test_inference),
  };
}
