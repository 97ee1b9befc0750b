import { type ConversationOptions, renderConversation } from './render-conversation.ts';

export interface RenderedMessages {
  readonly text: string;
  readonly tokens: Int32Array;
}

/**
 * Turns a conversation into the text and the tokens that the model's own template makes of it: the same ids as
 * `apply_chat_template` of transformers, except that the text of messages cannot become a control token.
 */
export async function renderMessages(options: ConversationOptions): Promise<RenderedMessages> {
  const { text, tokens } = await renderConversation(options);
  return { text, tokens };
}
