/*
 * @lachesis/protocol/conversation: how a recorded conversation is read and compared, in a terminal and in a browser. Loads
 * no schema, since a page is made of it.
 */

export { diffMessages } from './diff-messages.ts';
export type { MessageDiff } from './diff-messages.ts';
export { joinMessages } from './join-messages.ts';
export { messageText, splitThinking } from './message-text.ts';
export { lastReply, pairReplies } from './pair-replies.ts';
