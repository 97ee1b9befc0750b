import type { Family } from '../families/detect-family.ts';
import { parseJson } from '../python/parse-json.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { TextPiece } from './control-tokens.ts';
import { encodePieces, joinArrays, startsWith } from './encode-pieces.ts';
import { parseReplyText } from './parse-reply-text.ts';
import { layOutConversation, type ConversationLayout, type ConversationOptions } from './render-conversation.ts';

export interface ContinueHistoryOptions {
  readonly conversation: ConversationOptions;
  /** Of the whole conversation. */
  readonly layout: ConversationLayout;
  /** The last prompt and its reply. */
  readonly history: Int32Array;
}

/**
 * Goes on from the history where the template writes a reply with other letters than the model did but says the same: white space
 * is cut, the JSON of a call is printed anew. Everything the model did not write must be there token for token, and each reply
 * must say what the template now says in its place. Undefined when something else is said, such as a reply without its thinking.
 */
export async function continueHistory(options: ContinueHistoryOptions): Promise<Int32Array | undefined> {
  const { conversation, layout, history } = options;
  const { tokenizer, messages, tools } = conversation;
  const openings = createOpenings(conversation);
  let tokensAt = 0;
  let textAt = 0;
  for (const [index, message] of messages.entries()) {
    const span = layout.messageSpans[index];
    if (message.role !== 'assistant' || index === 0) continue;
    const opening = openings(index);
    if (span === undefined || opening === undefined || span.start < textAt) return undefined;
    const asked = slicePieces(layout.pieces, textAt, span.start, opening);
    const { tokens } = await encodePieces(tokenizer, asked, { isContinued: tokensAt > 0 });
    if (!startsWith(history.subarray(tokensAt), tokens)) return undefined;
    tokensAt += tokens.length;

    const written = layout.text.slice(span.start, span.end);
    const reply = await readNextReply(tokenizer, history.subarray(tokensAt));
    const header = countCommon(written, opening);
    const stop = await findStop(tokenizer, written, reply.stop);
    if (stop === undefined || stop.start < header) return undefined;
    const { family } = tokenizer;
    const said = readSaid(opening.slice(header) + reply.text, family, tools);
    if (said !== readSaid(written.slice(header, stop.start), family, tools)) return undefined;
    tokensAt += reply.length;
    // A reply that was cut has no end of its own: the template's is what comes next.
    textAt = span.start + (reply.stop === undefined ? stop.start : stop.end);
    if (tokensAt < history.length) {
      if (reply.stop === undefined) return undefined;
      continue;
    }
    const rest = slicePieces(layout.pieces, textAt, layout.text.length, '');
    return joinArrays([history, (await encodePieces(tokenizer, rest, { isContinued: true })).tokens]);
  }
  return undefined;
}

/** What the template writes to have the model answer the messages before an index. It may differ behind the result of a tool. */
function createOpenings(conversation: ConversationOptions): (index: number) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (index) => {
    const messages = conversation.messages.slice(0, index);
    const role = messages.at(-1)?.role ?? '';
    if (!known.has(role)) {
      const without = layOutConversation({ ...conversation, messages, addGenerationPrompt: false }).text;
      const { text } = layOutConversation({ ...conversation, messages, addGenerationPrompt: true });
      known.set(role, text.startsWith(without) ? text.slice(without.length) : undefined);
    }
    return known.get(role);
  };
}

interface NextReply {
  readonly text: string;
  /** Its tokens, the stop included. */
  readonly length: number;
  readonly stop: number | undefined;
}

async function readNextReply(tokenizer: Tokenizer, tokens: Int32Array): Promise<NextReply> {
  const at = tokens.findIndex((token) => tokenizer.stopTokens.has(token));
  const said = at < 0 ? tokens : tokens.subarray(0, at);
  const text = await tokenizer.decode(said, { skipSpecialTokens: false });
  return { text, length: at < 0 ? tokens.length : at + 1, stop: at < 0 ? undefined : tokens[at] };
}

/** Where the template ends the reply: with the stop that was sampled, or, for one that was cut, with any. */
async function findStop(
  tokenizer: Tokenizer,
  written: string,
  stop: number | undefined,
): Promise<{ start: number; end: number } | undefined> {
  let last: { start: number; end: number } | undefined;
  for (const token of stop === undefined ? tokenizer.stopTokens : [stop]) {
    const text = await tokenizer.decode([token], { skipSpecialTokens: false });
    const start = text === '' ? -1 : written.lastIndexOf(text);
    if (start >= 0 && (last === undefined || start > last.start)) last = { start, end: start + text.length };
  }
  return last;
}

/** What a reply says, in one spelling. */
function readSaid(text: string, { toolFormat, reasoning }: Family, tools: ConversationOptions['tools']): string {
  const { message } = parseReplyText({ text, toolFormat, reasoning, tools });
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => [
    name,
    sortKeys(parseJson(args)),
  ]);
  return JSON.stringify([message.reasoning_content?.trim() ?? '', message.content.trim(), calls]);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [key, sortKeys(each)]);
  // As a list: a key that looks like a number would be put in front by an object.
  return { entries: entries.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)) };
}

/** The pieces between two places of the text, and what comes behind them, joined as they would be in one text. */
function slicePieces(pieces: readonly TextPiece[], from: number, to: number, behind: string): TextPiece[] {
  const parts: TextPiece[] = [];
  let start = 0;
  for (const piece of [...pieces, { text: '', isPlain: false }]) {
    const text = piece.text.slice(Math.max(0, from - start), Math.max(0, to - start));
    start += piece.text.length;
    if (text !== '') parts.push({ ...piece, text });
  }
  const last = parts.at(-1);
  if (behind === '') return parts;
  if (last?.isPlain === false) parts[parts.length - 1] = { ...last, text: last.text + behind };
  else parts.push({ text: behind, isPlain: false });
  return parts;
}

function countCommon(left: string, right: string): number {
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count += 1;
  return count;
}
