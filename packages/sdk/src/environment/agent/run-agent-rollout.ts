import { type Clock, realClock, type ChatMessage, type ToolCallFormat } from '@lachesis/protocol';
import type { AgentModel } from '../../agent/agent-model.ts';
import type { AgentTool, ToolContext } from '../../agent/agent-tool.ts';
import { runAgent } from '../../agent/run-agent.ts';
import { ToolError } from '../../agent/tool-error.ts';
import { hideToolImages } from '../../agent/tool-reply.ts';
import type { ToolRun } from '../../agent/tool-run.ts';
import type { AskPolicy } from '../definition.ts';
import type { Completion } from '../policy/policy.ts';
import { toStopReason, type AgentRun, type AgentStopReason } from './agent-result.ts';
import { readReply } from './read-reply.ts';
import { writeCorrection } from './write-correction.ts';

export interface AgentRolloutLimits {
  readonly maxTurns: number;
  /** Prompt and replies of one sequence. */
  readonly maxSequenceTokens: number;
  /** Sampled in all turns together. */
  readonly maxSampledTokens: number;
  readonly maxToolCalls: number;
  readonly maxCallsPerReply: number;
  readonly maxMs: number;
  readonly toolMs: number;
  readonly resultCharacters: number;
  /** So many replies that cannot be read are answered with a correction; 0 ends the rollout at the first. */
  readonly maxCorrections: number;
}

export interface AgentRolloutOptions {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly AgentTool[];
  readonly limits: AgentRolloutLimits;
  readonly format: ToolCallFormat;
  readonly masksParseFailures: boolean;
  readonly ask: AskPolicy;
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly sandbox?: ToolContext['sandbox'];
  /** What tools remember of this rollout, over the calls of the loop. */
  readonly run?: ToolRun | undefined;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
}

/** Thrown into the loop where a limit is reached that the loop does not know. */
class LimitReached extends Error {
  readonly stopReason: AgentStopReason;

  constructor(stopReason: AgentStopReason) {
    super(stopReason);
    this.stopReason = stopReason;
  }
}

/**
 * The loop of model and tools around one prompt. Throws what the model's server threw and what ended the run; everything the
 * model itself did ends in a result.
 */
export async function runAgentRollout(options: AgentRolloutOptions): Promise<AgentRun> {
  const { limits, ask, format, sandbox, signal, clock = realClock } = options;
  const completions: Completion[] = [];
  const malformedCalls = new Map<number, readonly string[]>();
  /** By the reply and the id of the call: servers use ids again. */
  const failedCalls = new Set<string>();
  const startedAt = clock.now();
  let toolCalls = 0;
  let sampled = 0;
  let { messages }: { messages: readonly ChatMessage[] } = options;

  const model: AgentModel = async (question) => {
    const last = completions.at(-1);
    const used = last === undefined ? 0 : last.promptTokens.length + last.tokens.length;
    if (used >= limits.maxSequenceTokens) throw new LimitReached('max-tokens');
    if (toolCalls >= limits.maxToolCalls) throw new LimitReached('max-calls');
    const completion = await ask({
      messages: hideToolImages(question.messages),
      tools: question.tools,
      last,
      maxTokens: limits.maxSampledTokens - sampled,
      signal: question.signal,
      extraBody: options.extraBody,
    });
    const reply = readReply(completion, { format, tools: question.tools });
    const isMalformed = reply.malformedCalls.length > 0;
    if (isMalformed) malformedCalls.set(completions.length, reply.malformedCalls);
    completions.push(isMalformed && options.masksParseFailures ? { ...completion, isMasked: true } : completion);
    sampled += completion.tokens.length;
    return {
      message: reply.message,
      finishReason: completion.finishReason,
      // Only what was sampled counts against the limit: every prompt holds all turns before it.
      usage: { prompt_tokens: 0, completion_tokens: completion.tokens.length, total_tokens: completion.tokens.length },
    };
  };

  const counted = options.tools.map((tool): AgentTool => ({
    ...tool,
    execute: async (args, context) => {
      if (toolCalls >= limits.maxToolCalls) {
        throw new ToolError({ what: 'Not done', reason: `one rollout may have ${limits.maxToolCalls} calls` });
      }
      toolCalls += 1;
      return tool.execute(args, context);
    },
  }));

  const end = (stopReason: AgentStopReason): AgentRun => ({
    stopReason,
    malformedCalls,
    trajectory: {
      messages: markErrors(messages, options.messages.length, failedCalls),
      completions,
      wasCut: stopReason !== 'answered',
    },
  });

  for (;;) {
    const [turnsLeft, tokensLeft] = [limits.maxTurns - completions.length, limits.maxSampledTokens - sampled];
    const msLeft = limits.maxMs - (clock.now() - startedAt);
    if (turnsLeft <= 0) return end('max-turns');
    if (tokensLeft <= 0) return end('max-tokens');
    if (msLeft <= 0) return end('deadline');
    const result = await runAgent({
      model,
      messages,
      tools: counted,
      // Nobody is there to be asked; what tools can reach is bounded by the sandbox.
      approve: async () => undefined,
      limits: {
        maxTurns: turnsLeft,
        maxTokens: tokensLeft,
        maxMs: msLeft,
        toolMs: limits.toolMs,
        maxCallsPerReply: limits.maxCallsPerReply,
        resultCharacters: limits.resultCharacters,
      },
      onEvent: (event) => {
        if (event.kind === 'tool-ended' && event.isError) failedCalls.add(`${completions.length} ${event.call.id}`);
      },
      sandbox,
      run: options.run,
      signal,
      clock,
    });
    messages = result.messages;
    if (result.error instanceof LimitReached) return end(result.error.stopReason);
    if (result.error !== undefined) throw result.error;
    const stopReason = toStopReason(result.reason);
    if (stopReason === undefined) {
      signal.throwIfAborted();
      throw new Error('the agent was ended');
    }
    const malformed = malformedCalls.get(completions.length - 1);
    const isCorrectable = stopReason === 'answered' || stopReason === 'empty-reply';
    if (malformed === undefined || !isCorrectable) return end(stopReason);
    if (malformedCalls.size > limits.maxCorrections) return end('parse-failures');
    messages = [...messages, { role: 'user', content: writeCorrection(malformed, options.tools) }];
  }
}

/** Only in the result: servers refuse fields of messages that they do not know. */
function markErrors(
  messages: readonly ChatMessage[],
  promptLength: number,
  failedCalls: ReadonlySet<string>,
): readonly ChatMessage[] {
  let replies = 0;
  return messages.map((message, index) => {
    if (index >= promptLength && message.role === 'assistant') replies += 1;
    const isFailed = message.role === 'tool' && failedCalls.has(`${replies} ${message.tool_call_id ?? ''}`);
    return isFailed ? { ...message, is_error: true } : message;
  });
}
