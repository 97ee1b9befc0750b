import type { ToolCallFormat } from '@lachesis/protocol';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { Tool } from './message.ts';
import { type ReadReply, parseReplyText } from './parse-reply-text.ts';

export interface ParseReplyOptions {
  readonly tokenizer: Tokenizer;
  /** What the model sampled behind the generation prompt. */
  readonly tokens: Int32Array;
  /** Default: the format of the tokenizer's family. `null` leaves calls in the text. */
  readonly toolFormat?: ToolCallFormat | null;
  /** The tools that were offered; some formats write values without quotes, and a schema says which are text. */
  readonly tools?: readonly Tool[] | undefined;
  /** Whether the generation prompt ended inside the reasoning, so that a reply without its end is all reasoning. */
  readonly startsInReasoning?: boolean | undefined;
}

export interface ParsedReply extends ReadReply {
  /** `stop`: the model ended its turn. `length`: it was cut off. */
  readonly stopReason: 'stop' | 'length';
  /** Tokens behind the one that ended the turn; whoever sampled should not have gone on. */
  readonly ignoredTokens: number;
}

/** Reads sampled tokens back into a message: text, thinking and tool calls, as the model's family writes them. */
export async function parseReply(options: ParseReplyOptions): Promise<ParsedReply> {
  const { tokenizer, tokens } = options;
  const { family } = tokenizer;
  const stopAt = tokens.findIndex((token) => tokenizer.stopTokens.has(token));
  const text = await tokenizer.decode(stopAt < 0 ? tokens : tokens.subarray(0, stopAt));
  return {
    ...parseReplyText({
      text,
      toolFormat: options.toolFormat === undefined ? family.toolFormat : (options.toolFormat ?? undefined),
      reasoning: family.reasoning,
      tools: options.tools,
      startsInReasoning: options.startsInReasoning,
    }),
    stopReason: stopAt < 0 ? 'length' : 'stop',
    ignoredTokens: stopAt < 0 ? 0 : tokens.length - stopAt - 1,
  };
}
