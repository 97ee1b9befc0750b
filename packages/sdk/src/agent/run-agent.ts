import { realClock, type Clock, type ChatMessage, type ChatToolCall } from '@lachesis/protocol';
import type { AgentEvent, Approve } from './agent-event.ts';
import { readLimits, type GivenLimits } from './agent-limits.ts';
import type { AgentModel, ModelReply, TokenUsage } from './agent-model.ts';
import type { AgentEndReason, AgentRecorder, AgentResult } from './agent-result.ts';
import { toOfferedTool, type AgentTool, type ToolContext } from './agent-tool.ts';
import { runToolCall, writeError } from './run-tool-call.ts';
import { createToolRun } from './tool-run.ts';

/** The model, its tools, the conversation so far, limits, and who approves what is risky. */
export interface RunAgentOptions {
  model: AgentModel;
  tools: readonly AgentTool[];
  /** The conversation so far, the task as its last message. It is not changed. */
  messages: readonly ChatMessage[];
  limits?: GivenLimits | undefined;
  /** Asked before a call with a risk. Without it such calls are refused. */
  approve?: Approve | undefined;
  /** What tools get as `context.sandbox`. Whoever gives it releases it. */
  sandbox?: ToolContext['sandbox'];
  /** What tools get as `context.run`, where several calls are one agent. Whoever gives it ends it. */
  run?: ToolContext['run'];
  recorder?: AgentRecorder | undefined;
  onEvent?: ((event: AgentEvent) => void) | undefined;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

const refuseAll: Approve = async () => 'nobody is here who could allow it. Say what you would do, and stop.';

/**
 * Model, tools, model, tools, until the model answers without a call or a limit is reached. Calls run one after the other,
 * in the order of the reply. Whatever happens, a result comes back, and it can be continued.
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentResult> {
  const { model, approve = refuseAll, recorder, onEvent = () => undefined, clock = realClock } = options;
  const limits = readLimits(options.limits);
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const offered = [...tools.values()].map(toOfferedTool);
  const messages = [...options.messages];
  const usage: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const facts = { turns: 0, toolCalls: 0, text: '' };
  const own = options.run === undefined ? createToolRun() : undefined;
  const run = options.run ?? own;
  const deadline = startDeadline(limits.maxMs, clock);
  const signal = options.signal === undefined ? deadline.signal : AbortSignal.any([options.signal, deadline.signal]);

  const endedBy = (): AgentEndReason | undefined => {
    if (options.signal?.aborted === true) return 'aborted';
    return deadline.signal.aborted ? 'deadline' : undefined;
  };
  const reachedLimit = (): AgentEndReason | undefined => {
    if (facts.turns >= limits.maxTurns) return 'max-turns';
    return usage.total_tokens >= limits.maxTokens ? 'max-tokens' : undefined;
  };

  async function work(): Promise<Pick<AgentResult, 'reason' | 'error'>> {
    for (;;) {
      const stop = endedBy() ?? reachedLimit();
      if (stop !== undefined) return { reason: stop };
      onEvent({ kind: 'model-asked', turn: facts.turns });
      let reply: ModelReply;
      try {
        reply = await model({ messages, tools: offered, signal });
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause));
        const ended = endedBy();
        return ended === undefined ? { reason: 'model-failed', error } : { reason: ended };
      }
      const message = withCallIds(reply.message, facts.turns);
      messages.push(message);
      add(usage, reply.usage);
      onEvent({ kind: 'model-replied', turn: facts.turns, message });
      facts.turns += 1;
      facts.text = textOf(message);
      const calls = (message.tool_calls ?? []) as (ChatToolCall & { id: string })[];
      for (const [index, call] of calls.entries()) {
        const content = await answer(call, index);
        messages.push({ role: 'tool', tool_call_id: call.id, content });
      }
      recorder?.turn?.(messages, offered);
      if (calls.length > 0) continue;
      if (reply.finishReason === 'length') return { reason: 'cut-off' };
      return { reason: facts.text.trim() === '' ? 'empty-reply' : 'answered' };
    }
  }

  /** A call without an answer makes a conversation that no server takes, so those that are not run are answered too. */
  async function answer(call: ChatToolCall & { id: string }, index: number): ReturnType<typeof runToolCall> {
    if (signal.aborted) return writeError('Not done: the agent was ended before this call.');
    if (index >= limits.maxCallsPerReply) {
      return writeError(`Not done: one reply may have ${limits.maxCallsPerReply} calls. Ask again for the rest.`);
    }
    facts.toolCalls += 1;
    const { toolMs, resultCharacters } = limits;
    const { sandbox } = options;
    return runToolCall({ call, tools, approve, clock, signal, sandbox, run, toolMs, resultCharacters, onEvent });
  }

  try {
    const { reason, error } = await work();
    const result: AgentResult = { reason, ...facts, messages, usage, ...(error === undefined ? {} : { error }) };
    await recorder?.end(result);
    onEvent({ kind: 'ended', result });
    return result;
  } finally {
    deadline.clear();
    // What a tool could not close is no reason to lose what the agent did.
    await own?.end().catch(() => undefined);
  }
}

function startDeadline(ms: number, clock: Clock): { signal: AbortSignal; clear(): void } {
  const over = new AbortController();
  const cleared = new AbortController();
  if (Number.isFinite(ms)) {
    // Never rejects, and nobody waits for it: it ends with the clear.
    void clock.sleep(ms, cleared.signal).then(() => {
      if (!cleared.signal.aborted) over.abort(new Error('the time for the agent is over'));
    });
  }
  return { signal: over.signal, clear: () => cleared.abort() };
}

/** Some servers give calls no id, and the answer has to name one. */
function withCallIds(message: ChatMessage, turn: number): ChatMessage {
  const { tool_calls: calls } = message;
  if (calls === undefined || calls === null || calls.every(({ id }) => typeof id === 'string' && id !== ''))
    return message;
  return {
    ...message,
    tool_calls: calls.map((call, index) => ({ ...call, id: call.id || `call_${turn}_${index}` })),
  };
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  const parts = content ?? [];
  return parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function add(sum: TokenUsage, usage: TokenUsage | undefined): void {
  if (usage === undefined) return;
  sum.prompt_tokens += usage.prompt_tokens;
  sum.completion_tokens += usage.completion_tokens;
  sum.total_tokens += usage.total_tokens;
}
