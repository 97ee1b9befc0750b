import { continueHistory } from './continue-history.ts';
import type { TextPiece } from './control-tokens.ts';
import { encodePieces, joinArrays } from './encode-pieces.ts';
import { type ConversationOptions, layOutConversation } from './render-conversation.ts';

export interface RenderMessagesOptions extends ConversationOptions {
  /**
   * The tokens of the conversation so far as they were sampled: the last prompt and its reply. Where the template keeps what
   * they say, be it with other white space or another spelling of a call, they stay as they are and only what came after is
   * encoded. The same text can be written with other tokens, and
   * those the model did not sample.
   */
  readonly history?: Int32Array | undefined;
}

export interface RenderedMessages {
  readonly text: string;
  readonly tokens: Int32Array;
  /** Whether the tokens begin with the history; false when none was given or the template says something else now. */
  readonly keepsHistory: boolean;
}

/**
 * Turns a conversation into the text and the tokens that the model's own template makes of it: the same ids as
 * `apply_chat_template` of transformers, except that the text of messages cannot become a control token.
 */
export async function renderMessages({ history, ...conversation }: RenderMessagesOptions): Promise<RenderedMessages> {
  const { tokenizer } = conversation;
  const layout = layOutConversation(conversation);
  const { text, pieces } = layout;
  const said = history === undefined ? '' : await tokenizer.decode(history, { skipSpecialTokens: false });
  if (history === undefined || said === '' || !text.startsWith(said)) {
    const continued =
      history === undefined || said === '' ? undefined : await continueHistory({ conversation, layout, history });
    if (continued !== undefined) return { text, tokens: continued, keepsHistory: true };
    const { tokens } = await encodePieces(tokenizer, pieces);
    return { text, tokens, keepsHistory: false };
  }
  const rest = await encodePieces(tokenizer, dropText(pieces, said.length), { isContinued: true });
  return { text, tokens: joinArrays([history, rest.tokens]), keepsHistory: true };
}

/** The pieces without their first characters. */
function dropText(pieces: readonly TextPiece[], length: number): TextPiece[] {
  const rest: TextPiece[] = [];
  let left = length;
  for (const piece of pieces) {
    const text = piece.text.slice(Math.min(left, piece.text.length));
    left -= piece.text.length - text.length;
    if (text !== '') rest.push({ ...piece, text });
  }
  return rest;
}
