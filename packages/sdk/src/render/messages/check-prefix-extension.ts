import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { TemplateMessage, RenderOptions, Tool } from './message.ts';
import { renderConversation } from './render-conversation.ts';

export interface PrefixExtensionOptions {
  readonly tokenizer: Tokenizer;
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly Tool[];
  readonly options?: RenderOptions;
}

/** What was found out about one message of the assistant. */
export interface TurnReport {
  readonly messageIndex: number;
  /** The tokens of the prompt that the message answers. */
  readonly promptTokens: number;
  /** The prompt with the message begins with the prompt alone. */
  readonly extendsPrompt: boolean;
  /** The next prompt begins with this one and its answer; undefined for the last message of the assistant. */
  readonly isKeptByNext: boolean | undefined;
  /** The first token that differs, where something does. */
  readonly firstDifference: number | undefined;
}

export interface PrefixExtensionReport {
  readonly holds: boolean;
  readonly turns: readonly TurnReport[];
}

/**
 * Does each turn begin with the tokens of the turn before? If so, a whole conversation is one sequence to train on and one
 * cache to serve from; if not, each turn is a sequence of its own. Templates that rewrite history (thinking is dropped, tools
 * move to the last question) do not, and only rendering tells.
 */
export async function checkPrefixExtension(options: PrefixExtensionOptions): Promise<PrefixExtensionReport> {
  const { messages, tokenizer } = options;
  const render = async (length: number, addGenerationPrompt: boolean): Promise<Int32Array> => {
    const part = { ...options, messages: messages.slice(0, length), addGenerationPrompt };
    return (await renderConversation(part)).tokens;
  };
  const indices = [...messages.keys()].filter((index) => index > 0 && messages[index]?.role === 'assistant');
  const turns: TurnReport[] = [];
  for (const [turn, messageIndex] of indices.entries()) {
    const prompt = await render(messageIndex, true);
    const answered = cutAfterStop(await render(messageIndex + 1, false), tokenizer.stopTokens, prompt.length);
    const next = indices[turn + 1];
    const promptDifference = findDifference(answered, prompt);
    const nextDifference = next === undefined ? undefined : findDifference(await render(next, true), answered);
    turns.push({
      messageIndex,
      promptTokens: prompt.length,
      extendsPrompt: promptDifference === undefined,
      isKeptByNext: next === undefined ? undefined : nextDifference === undefined,
      firstDifference: promptDifference ?? nextDifference,
    });
  }
  return { holds: turns.every((turn) => turn.extendsPrompt && turn.isKeptByNext !== false), turns };
}

/** What stands behind the last stop token was written by the template and sampled by nobody. */
function cutAfterStop(tokens: Int32Array, stopTokens: ReadonlySet<number>, from: number): Int32Array {
  const last = tokens.findLastIndex((token) => stopTokens.has(token));
  return last < from ? tokens : tokens.subarray(0, last + 1);
}

function findDifference(tokens: Int32Array, prefix: Int32Array): number | undefined {
  const at = prefix.findIndex((token, index) => tokens[index] !== token);
  return at < 0 ? undefined : at;
}
