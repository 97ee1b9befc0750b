import type { ChatMessage, ChatToolCall, Clock } from '@lachesis/protocol';
import type { AgentEvent, Approve, ToolInvocation } from './agent-event.ts';
import type { AgentTool, ToolArguments, ToolContext } from './agent-tool.ts';
import { ToolError } from './tool-error.ts';
import { readToolReply, toToolContent, type ToolImage } from './tool-reply.ts';

export interface RunToolCallOptions {
  call: ChatToolCall & { id: string };
  tools: ReadonlyMap<string, AgentTool>;
  approve: Approve;
  clock: Clock;
  /** Aborted when the agent ends. */
  signal: AbortSignal;
  sandbox?: ToolContext['sandbox'];
  run?: ToolContext['run'];
  toolMs: number;
  resultCharacters: number;
  onEvent: (event: AgentEvent) => void;
}

/** One call from the model's words to what it gets back. Never throws: a call that failed is an answer too. */
export async function runToolCall(options: RunToolCallOptions): Promise<NonNullable<ChatMessage['content']>> {
  const { call: asked, tools, clock, onEvent, resultCharacters } = options;
  const call: ToolInvocation = { id: asked.id, name: asked.function.name, args: {} };
  let startedAt = clock.now();
  let isError = false;
  let text: string;
  let images: readonly ToolImage[] = [];
  try {
    const tool = tools.get(call.name);
    if (tool === undefined) {
      throw new ToolError({
        what: `There is no tool ${JSON.stringify(call.name)}`,
        hint: `The tools are: ${[...tools.keys()].join(', ')}`,
      });
    }
    call.args = readArguments(asked);
    const refusal = await ask(tool, call, options);
    if (refusal !== undefined) {
      onEvent({ kind: 'tool-refused', call, reason: refusal });
      return writeError(`Not done: ${refusal}`);
    }
    // The time a person thought is not the tool's.
    startedAt = clock.now();
    onEvent({ kind: 'tool-started', call });
    const reply = readToolReply(await execute(tool, call, options));
    text = toText(reply.result);
    images = reply.images;
  } catch (error) {
    isError = true;
    text =
      ToolError.isInstance(error) && error.answer !== undefined
        ? error.answer
        : writeError(error instanceof Error ? error.message : String(error));
  }
  onEvent({ kind: 'tool-ended', call, text, isError, ms: clock.now() - startedAt });
  return toToolContent(shorten(text, resultCharacters), images);
}

export const writeError = (message: string): string => JSON.stringify({ error: message }, null, 2);

function readArguments({ function: { name, arguments: text } }: ChatToolCall): ToolArguments {
  // A tool without parameters is called with an empty text by some models.
  if (text.trim() === '') return {};
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError({ what: `The arguments of ${name} are not JSON`, reason, hint: 'Send one JSON object', cause });
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new ToolError({ what: `The arguments of ${name} are no JSON object`, hint: 'Send one JSON object' });
  }
  return args as ToolArguments;
}

async function ask(
  tool: AgentTool,
  call: ToolInvocation,
  { approve, signal }: RunToolCallOptions,
): Promise<string | undefined> {
  const risk = typeof tool.risk === 'function' ? tool.risk(call.args) : tool.risk;
  if (risk === undefined) return undefined;
  const preview = await tool.preview?.(call.args);
  return approve({ call, tool, risk, preview, signal });
}

/** A tool that does not listen to its signal cannot hold the agent: its late result finds nobody. */
async function execute(
  tool: AgentTool,
  { id, args, name }: ToolInvocation,
  options: RunToolCallOptions,
): Promise<unknown> {
  const { clock, signal, sandbox, run, toolMs } = options;
  const limitMs = tool.timeoutMs ?? toolMs;
  const limit = new AbortController();
  const done = new AbortController();
  const both = AbortSignal.any([signal, limit.signal]);
  const running = tool.execute(args, { signal: both, callId: id, sandbox, run });
  // Looked at by the race below; a failure after it is of no use to anybody.
  running.catch(() => undefined);
  const over = async (): Promise<never> => {
    await clock.sleep(limitMs, AbortSignal.any([signal, done.signal]));
    const reason = signal.aborted ? 'the agent was ended' : `it took longer than ${Math.round(limitMs / 1_000)} s`;
    limit.abort();
    throw new ToolError({ what: `${name} was given up`, reason, hint: 'What it had begun may still happen' });
  };
  const timeout = over();
  timeout.catch(() => undefined);
  try {
    return await Promise.race([running, timeout]);
  } finally {
    done.abort();
  }
}

function toText(result: unknown): string {
  if (typeof result === 'string') return result;
  return JSON.stringify(result) ?? 'null';
}

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n… ${text.length - most} more characters were left out; ask for a smaller part.`;
}
